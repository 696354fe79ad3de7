package org.heapspan.workloads

import org.apache.spark.Success
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved, SparkListenerTaskEnd}

import scala.collection.mutable

/** Adds up what Spark measures of each task. Thread-safe. */
private[workloads] final class TaskTotals extends SparkListener {
  private val QuietMillis = 300

  @volatile private var lastEventNanos = System.nanoTime
  var cpuNanos, runMillis, collectorMillis, shuffleBytes, spilledBytes, tasks, failedTasks, lostExecutors = 0L

  /** When each round began, by the clock that tells when tasks were launched. */
  private val roundsBegan = mutable.ArrayBuffer.empty[Long]
  private val cpuOfRounds = mutable.ArrayBuffer.empty[Long]

  /** A round begins, after all tasks of the former one have ended. */
  def beginRound(): Unit = synchronized {
    roundsBegan += System.currentTimeMillis
    cpuOfRounds += 0
  }

  /** Processor time of the tasks of each round. */
  def cpuNanosOfRounds: Seq[Long] = synchronized(cpuOfRounds.toSeq)

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = synchronized {
    lastEventNanos = System.nanoTime
    tasks += 1
    if (end.reason != Success) failedTasks += 1
    val metrics = end.taskMetrics
    if (metrics != null) {
      cpuNanos += metrics.executorCpuTime
      val round = roundsBegan.lastIndexWhere(_ <= end.taskInfo.launchTime)
      if (round >= 0) cpuOfRounds(round) += metrics.executorCpuTime
      runMillis += metrics.executorRunTime
      collectorMillis += metrics.jvmGCTime
      shuffleBytes += metrics.shuffleWriteMetrics.bytesWritten
      spilledBytes += metrics.diskBytesSpilled
    }
  }

  override def onExecutorRemoved(removed: SparkListenerExecutorRemoved): Unit = synchronized { lostExecutors += 1 }

  /** Waits until no more tasks are told of: listeners hear of them some time after they ended. */
  def settle(): Unit = {
    Thread.sleep(QuietMillis)
    while (System.nanoTime - lastEventNanos < QuietMillis * 1000000L) Thread.sleep(QuietMillis)
  }
}
