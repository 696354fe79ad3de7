package org.heapspan.workloads

import org.apache.spark.Success
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved, SparkListenerTaskEnd}

/** Adds up what Spark measures of each task. Thread-safe. */
private[workloads] final class TaskTotals extends SparkListener {
  private val QuietMillis = 300

  @volatile private var lastEventNanos = System.nanoTime
  var cpuNanos, runMillis, collectorMillis, shuffleBytes, spilledBytes, tasks, failedTasks, lostExecutors = 0L

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = synchronized {
    lastEventNanos = System.nanoTime
    tasks += 1
    if (end.reason != Success) failedTasks += 1
    val metrics = end.taskMetrics
    if (metrics != null) {
      cpuNanos += metrics.executorCpuTime
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
