package org.heapspan.workloads

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.{SparkConf, SparkContext, SparkEnv}

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.SplittableRandom
import scala.jdk.StreamConverters._
import scala.util.Try

/** The application that measures what a large broadcast takes of all executors of a host. Its arguments: kind of the value (`arrays` or
  * `table`), its size in megabytes of heap, how many executors there are, how often it is broadcast and read before that is measured, how
  * often while it is, the folder in which executors share bytes, the file for the figures.
  *
  * The figures, a JSON object with an array of each: `driverSeconds` (to make the broadcast), `readSeconds` (from the begin of a job until
  * the last executor has the value), `cpuSeconds` (user and system time of the executors for that), `heapBytes` (of all executors, in use
  * after a collection), `sharedBytes` (of files in the folder, right after the reading).
  */
object BroadcastRead {
  private val Seed = 20242L
  private val RowNumbers = 128

  /** What an account takes in the heap, with its key and its place in the table. */
  private val EntryBytes = 352
  private val SettleMillis = 500L

  def main(arguments: Array[String]): Unit = {
    require(
      arguments.length == 7,
      s"${arguments.length} arguments, expected 7: KIND MEGABYTES EXECUTORS WARM-UP TIMES FOLDER FIGURES"
    )
    val Seq(kind, megabytes, executors, warmUp, times, folder, file) = arguments.toSeq: @unchecked
    val mapper = new ObjectMapper()
    val figures = mapper.createObjectNode()
    val spark = new SparkContext(new SparkConf().setAppName("Broadcast"))
    try {
      while (spark.statusTracker.getExecutorInfos.length < executors.toInt + 1) Thread.sleep(20)
      // The first task of an executor loads what all tasks need.
      onEach(spark, executors.toInt)(() => 0L)
      val value = valueOf(kind, megabytes.toLong << 20)
      val expected = check(value)
      (1 to warmUp.toInt).foreach(_ => measure(spark, value, expected, executors.toInt, Path.of(folder)))
      (1 to times.toInt)
        .flatMap(_ => measure(spark, value, expected, executors.toInt, Path.of(folder)))
        .groupMap(_._1)(_._2)
        .foreach { case (name, each) => each.foldLeft(figures.putArray(name))((array, figure) => array.add(figure)) }
    } finally spark.stop()
    Files.writeString(Path.of(file), mapper.writeValueAsString(figures))
  }

  private final case class Account(number: Long, name: String, mail: String, balance: Double, teams: List[String])

  private def measure(spark: SparkContext, value: AnyRef, expected: Long, executors: Int, folder: Path): Seq[(String, Double)] = {
    System.gc()
    val begin = System.nanoTime
    val broadcast = spark.broadcast(value)
    val driverSeconds = (System.nanoTime - begin) / 1e9
    val cpu = ExecutorProcesses.cpuSeconds()
    val reading = System.currentTimeMillis
    val ends = onEach(spark, executors) { () =>
      require(check(broadcast.value) == expected, "the value has changed on its way")
      System.currentTimeMillis
    }
    val cpuSeconds = ExecutorProcesses.cpuSeconds() - cpu
    val shared = sizeOf(folder)
    val heaps = onEach(spark, executors) { () =>
      // The first collection finds what the second one frees: buffers with cleaners, soft references not at all.
      System.gc()
      System.gc()
      ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
    }
    broadcast.unpersist(blocking = true)
    broadcast.destroy()
    Seq(
      "driverSeconds" -> driverSeconds,
      "readSeconds" -> (ends.max - reading) / 1e3,
      "cpuSeconds" -> cpuSeconds,
      "heapBytes" -> heaps.sum.toDouble,
      "sharedBytes" -> shared.toDouble
    )
  }

  /** Runs a task on each executor, all at the same time, and returns what they do. */
  private def onEach(spark: SparkContext, executors: Int)(task: () => Long): Seq[Long] = {
    val results = spark
      .parallelize(1 to executors, executors)
      .map { _ =>
        val result = task()
        // So that no executor takes two.
        Thread.sleep(SettleMillis)
        (SparkEnv.get.executorId, result)
      }
      .collect()
      .toSeq
    require(
      results.map(_._1).distinct.size == executors,
      s"tasks ran on executors ${results.map(_._1)}, expected one on each of $executors"
    )
    results.map(_._2)
  }

  private def valueOf(kind: String, bytes: Long): AnyRef = {
    val random = new SplittableRandom(Seed)
    kind match {
      // A model: numbers of which compression saves nothing.
      case "arrays" => Array.fill((bytes / (8 * RowNumbers)).toInt)(Array.fill(RowNumbers)(random.nextDouble()))
      // What a join by broadcast looks up.
      case "table" =>
        val table = new java.util.HashMap[String, Account]()
        (0L until bytes / EntryBytes).foreach { number =>
          table.put(
            s"user-$number",
            Account(number, s"Name of $number", s"$number@example.org", random.nextDouble(), List(s"team-${number % 97}"))
          )
        }
        table
      case _ => throw new IllegalArgumentException(s"no value of kind '$kind', expected arrays or table")
    }
  }

  private def check(value: AnyRef): Long = value match {
    case rows: Array[Array[Double]] => rows.length.toLong << 32 | java.lang.Double.hashCode(rows.last.last)
    case table: java.util.Map[_, _] => table.size.toLong << 32 | table.get("user-7").hashCode
    case _                          => throw new IllegalArgumentException(s"no check for a ${value.getClass.getName}")
  }

  private def sizeOf(folder: Path): Long = Try {
    val files = Files.walk(folder)
    try files.toScala(Seq).filter(Files.isRegularFile(_)).map(Files.size).sum
    finally files.close()
  }.getOrElse(0L)
}
