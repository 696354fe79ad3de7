package org.heapspan.workloads

import java.time.Duration
import scala.jdk.StreamConverters._

/** The JVMs of the executors on this machine, which a local cluster starts as children of the driver. */
private[workloads] object ExecutorProcesses {
  private val Main = "CoarseGrainedExecutorBackend"

  /** User and system time of all of them since they started. An executor that has ended is missing. */
  def cpuSeconds(): Double = ProcessHandle
    .current()
    .descendants()
    .toScala(Seq)
    .filter(_.info().commandLine().orElse("").contains(Main))
    .map(_.info().totalCpuDuration().orElse(Duration.ZERO).toNanos / 1e9)
    .sum
}
