package org.heapspan.workloads

import org.apache.spark.scheduler.{SparkListener, SparkListenerStageCompleted}

/** What happens to an executor while a round of the same jobs runs.
  *
  * @param kind
  *   `kill`: it is killed when half as many stages have completed as in the round before; `slow`: it gets a tenth of its processor time;
  *   otherwise nothing
  */
private[workloads] final class ExecutorFault(kind: String) extends SparkListener {
  private var completed = 0
  private var lastBefore = 0

  /** Runs a round without it. */
  def before[A](round: => A): A = {
    synchronized { completed = 0 }
    round
  }

  /** Runs a round with the fault. */
  def during[A](round: => A): A = {
    synchronized {
      lastBefore = if (kind == "kill") math.max(1, completed / 2) else 0
      completed = 0
    }
    if (kind == "slow") ExecutorProcesses.slowingOne(round) else round
  }

  override def onStageCompleted(event: SparkListenerStageCompleted): Unit = synchronized {
    completed += 1
    if (completed == lastBefore) ExecutorProcesses.killOne()
  }
}
