package org.heapspan.workloads.wide

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode, Trigger}
import org.apache.spark.sql.{Dataset, SQLContext}
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.{Milliseconds, StreamingContext, Time}

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import scala.annotation.nowarn
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Both kinds of streams; Spark calls the older one deprecated. */
@nowarn("cat=deprecation")
private[wide] object Streams extends FeatureGroup {
  private val MostSeconds = 120L
  private val Batches = 4

  override def features: Seq[Feature] = Seq(
    Feature("structured stream with sums", sums),
    Feature("structured stream with states of objects", states),
    Feature("structured stream from files", files),
    Feature("stream of RDDs with windows", windows),
    Feature("stream of RDDs with states", updated)
  )

  private def sums(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    implicit val context: SQLContext = session.sqlContext
    val source = MemoryStream[(String, Int)]
    val query = source.toDF().toDF("key", "value").groupBy("key").sum("value").writeStream
    val running = query.outputMode(OutputMode.Complete()).format("memory").queryName("sums").start()
    try {
      for (batch <- 1 to 3) {
        source.addData((1 to 50).map(number => s"key ${number % 4}" -> number * batch))
        running.processAllAvailable()
      }
      Canonical.ofAll(session.table("sums").collect().map(_.toString))
    } finally running.stop()
  }

  private def states(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    implicit val context: SQLContext = session.sqlContext
    val source = MemoryStream[(String, Int)]
    val found = new ConcurrentLinkedQueue[(Customer, Int)]
    val changes = source.toDS().groupByKey(_._1).mapGroupsWithState(GroupStateTimeout.NoTimeout()) {
      (key: String, values: Iterator[(String, Int)], state: GroupState[Seq[Int]]) =>
        val all = (state.getOption.getOrElse(Nil) ++ values.map(_._2)).sorted
        state.update(all)
        Customer(key, all.mkString(" ")) -> all.size
    }
    val running = changes.writeStream
      .outputMode(OutputMode.Update())
      .foreachBatch((batch: Dataset[(Customer, Int)], _: Long) => batch.collect().foreach(found.add))
      .start()
    try {
      for (batch <- 1 to 3) {
        source.addData((1 to 12).map(number => s"key ${number % 3}" -> number * batch))
        running.processAllAvailable()
      }
      Canonical.ofAll(found.asScala)
    } finally running.stop()
  }

  private def files(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val folder = Files.createDirectories(Path.of(setting.path("stream of files")))
    for (number <- 1 to 3) Files.writeString(folder.resolve(s"$number.txt"), s"a b $number\nb c\n")
    val counts = session.readStream.textFile(folder.toString).flatMap(_.split(' ')).groupBy("value").count()
    val running = counts.writeStream.outputMode("complete").format("memory").queryName("words").trigger(Trigger.AvailableNow()).start()
    running.awaitTermination(TimeUnit.SECONDS.toMillis(MostSeconds))
    Canonical.ofAll(session.table("words").collect().map(_.toString))
  }

  /** Batches that are the same whenever they come. */
  private final class Orders(streams: StreamingContext) extends InputDStream[Order](streams) {
    private var batch = 0

    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[Order]] = {
      batch += 1
      Some(context.sparkContext.parallelize(if (batch > Batches) Nil else (batch * 10) until (batch * 20), 2).map(Order.numbered))
    }
  }

  /** What a stream has found so far; in a field of an object, since streams with a checkpoint serialize what they refer to. */
  private val found = mutable.LinkedHashMap.empty[Customer, Long]
  @volatile private var enough = new CountDownLatch(0)

  private def updated(setting: Setting): String = {
    found.clear()
    enough = new CountDownLatch(Batches)
    streamed(setting) { streams =>
      streams.checkpoint(setting.path("checkpoints of streams"))
      new Orders(streams)
        .map(order => order.customer -> order)
        .updateStateByKey[List[Order]]((now: Seq[Order], before: Option[List[Order]]) => Some((before.getOrElse(Nil) ++ now).sortBy(_.id)))
        .foreachRDD { states =>
          val totals = states.mapValues(_.map(_.total).sum).collect()
          found.synchronized(found ++= totals)
          enough.countDown()
        }
    }
    Canonical.ofAll(found.synchronized(found.toMap))
  }

  private def windows(setting: Setting): String = {
    val queue = mutable.Queue.tabulate(Batches)(batch =>
      setting.context.parallelize(batch * 10 until (batch + 1) * 10, 2).map(number => (number % 3).toString -> number.toLong)
    )
    val totals = new ConcurrentLinkedQueue[(String, Long)]
    enough = new CountDownLatch(Batches + 2)
    streamed(setting) { streams =>
      streams
        .queueStream(queue, oneAtATime = true)
        .reduceByKeyAndWindow((one: Long, other: Long) => one + other, Milliseconds(800), Milliseconds(400))
        .foreachRDD { sums =>
          sums.collect().foreach(totals.add)
          enough.countDown()
        }
    }
    Canonical.ofAll(totals.asScala)
  }

  private def streamed(setting: Setting)(describe: StreamingContext => Unit): Unit = {
    val streams = new StreamingContext(setting.context, Milliseconds(400))
    try {
      describe(streams)
      streams.start()
      require(enough.await(MostSeconds, TimeUnit.SECONDS), s"no end after $MostSeconds s")
    } finally streams.stop(stopSparkContext = false, stopGracefully = false)
  }
}
