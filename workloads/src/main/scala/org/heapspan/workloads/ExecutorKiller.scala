package org.heapspan.workloads

import org.apache.spark.scheduler.{SparkListener, SparkListenerStageCompleted}

/** Kills an executor in the middle of a round of the same jobs: when half as many stages have completed as in the round before. */
private[workloads] final class ExecutorKiller extends SparkListener {
  private var completed = 0
  private var lastBefore = 0

  def beginRound(kills: Boolean): Unit = synchronized {
    lastBefore = if (kills) math.max(1, completed / 2) else 0
    completed = 0
  }

  override def onStageCompleted(event: SparkListenerStageCompleted): Unit = synchronized {
    completed += 1
    if (completed == lastBefore) ExecutorProcesses.killOne()
  }
}
