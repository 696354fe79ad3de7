package org.heapspan.workloads

import org.apache.spark.SparkContext

import scala.collection.mutable

/** What cached data and executors take at most, looked at twice a second. Figures are for after it was closed. */
private[workloads] final class Peaks(spark: SparkContext) extends AutoCloseable {
  private val PeriodMillis = 500L

  private val mostResident = mutable.Map[Long, Long]()
  @volatile private var closed = false
  private val thread = new Thread(() => watch(), "peaks")

  var cached: Peaks.Cached = Peaks.Cached(0, 0, 0, 0)
  var anonymousBytes = 0L

  thread.setDaemon(true)
  thread.start()

  /** All executors together, each at its peak. */
  def residentBytes: Long = mostResident.values.sum

  private def watch(): Unit = while (!closed) {
    look()
    Thread.sleep(PeriodMillis)
  }

  private def look(): Unit = {
    val infos = spark.getRDDStorageInfo
    val now = Peaks.Cached(
      infos.map(_.memSize).sum,
      infos.map(_.diskSize).sum,
      infos.map(_.numCachedPartitions.toLong).sum,
      infos.map(_.numPartitions.toLong).sum
    )
    if (now.memoryBytes + now.diskBytes > cached.memoryBytes + cached.diskBytes) cached = now
    val executors = ExecutorProcesses.memory()
    executors.foreach(each => mostResident(each.process) = each.mostResidentBytes)
    anonymousBytes = math.max(anonymousBytes, executors.map(_.anonymousBytes).sum)
  }

  override def close(): Unit = {
    closed = true
    thread.join()
    look()
  }
}

private[workloads] object Peaks {

  /** What is cached at a time: bytes in memory, as Spark counts them, and on disk, and so many of all partitions of these RDDs. */
  final case class Cached(memoryBytes: Long, diskBytes: Long, partitions: Long, ofPartitions: Long)
}
