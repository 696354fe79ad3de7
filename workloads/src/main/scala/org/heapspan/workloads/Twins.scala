package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

import java.lang.reflect.InvocationTargetException
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import scala.util.Using

/** A job that there is twice: with RDDs of Scala, and as a native program of `examples/native`. Both read the same files and write the same
  * text files. With `spark.benchmark.native`, which names the folder of the compiled programs, the native one runs.
  */
abstract class Twin extends Workload {

  /** The native program, without `.so`. */
  def program: String

  /** The file that both read. */
  def file: String

  /** Arguments of the native program behind the input and the output. */
  def arguments: Seq[String] = Seq.empty

  /** What is written as text, by the twin in Scala. */
  def lines(spark: SparkContext, data: Data): RDD[_]

  /** What came out, in short. */
  def summary(lines: Iterator[String]): String

  final override def run(spark: SparkContext, data: Data, scale: Double): String = {
    require(scale == 1, s"$name takes all data, but the scale is $scale")
    val folder = Files.createTempDirectory("twin")
    val output = folder.resolve("output")
    spark.getConf.getOption("spark.benchmark.native") match {
      case Some(programs) =>
        Twin.runNative(spark, Path.of(programs, s"$program.so"), Seq(data.location(file), output.toUri.toString) ++ arguments)
      case None => lines(spark, data).saveAsTextFile(output.toUri.toString)
    }
    val parts = Using.resource(Files.list(output))(_.iterator.asScala.filter(_.getFileName.toString.startsWith("part-")).toSeq)
    val result = summary(parts.iterator.flatMap(part => Files.readAllLines(part).asScala))
    Using.resource(Files.walk(folder))(_.iterator.asScala.toSeq.reverse.foreach(Files.delete))
    result
  }
}

private object Twin {

  /** By name: the workloads are compiled without Heapspan. */
  def runNative(spark: SparkContext, program: Path, arguments: Seq[String]): Unit =
    try
      Class
        .forName("org.heapspan.spark.nativerdd.NativePrograms")
        .getMethod("run", classOf[SparkContext], classOf[Path], classOf[Array[String]])
        .invoke(null, spark, program, arguments.toArray)
    catch { case failure: InvocationTargetException => throw failure.getCause }
}

/** `word_count.cpp`: how often each word stands in the novels. */
object TwinWords extends Twin {
  override def name = "twin-words"
  override def title = "Word count, all words"
  override def program = "word_count"
  override def file = "english-novels-100.txt"

  override def lines(spark: SparkContext, data: Data): RDD[_] =
    data.lines(spark, file).flatMap(line => line.split("[\\x00-\\x20]+").iterator.filter(_.nonEmpty)).map((_, 1L)).reduceByKey(_ + _)

  override def summary(lines: Iterator[String]): String = {
    val counts = lines.map(line => line.substring(line.lastIndexOf(',') + 1, line.length - 1).toLong).toSeq
    s"${counts.size} words, ${counts.sum} in all"
  }
}

/** `page_rank.cpp`: ranks of web pages. */
object TwinRanks extends Twin {
  private val Iterations = 10

  override def name = "twin-ranks"
  override def title = "Page ranks, 10 iterations"
  override def program = "page_rank"
  override def file = "cnr-2000.txt"
  override def arguments = Seq(Iterations.toString)

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val links = data.edges(spark, file).distinct().groupByKey().cache()
    var ranks = links.mapValues(_ => 1.0)
    for (_ <- 1 to Iterations) {
      val received = links.join(ranks).values.flatMap { case (targets, rank) =>
        val share = rank / targets.size
        targets.map(target => (target, share))
      }
      ranks = received.reduceByKey(_ + _).mapValues(0.15 + 0.85 * _)
    }
    ranks
  }

  override def summary(lines: Iterator[String]): String = {
    val ranks = lines.map(line => line.substring(line.lastIndexOf(',') + 1, line.length - 1).toDouble).toSeq
    s"${ranks.size} pages, sum ${Workload.rounded(ranks.sum)}"
  }
}
