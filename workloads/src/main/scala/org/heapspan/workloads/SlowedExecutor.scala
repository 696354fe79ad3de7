package org.heapspan.workloads

import java.lang.ProcessBuilder.Redirect

/** An executor that has the processor for a quarter of the time only, until this is closed. */
private[workloads] final class SlowedExecutor(executor: Long) extends AutoCloseable {
  private val shell = new ProcessBuilder("bash", "-c", SlowedExecutor.Script, "slow", executor.toString)
    .redirectOutput(Redirect.DISCARD)
    .redirectError(Redirect.DISCARD)
    .start()

  override def close(): Unit = {
    shell.destroy()
    shell.waitFor()
  }
}

private[workloads] object SlowedExecutor {

  /** Stops a process and lets it go on, until either ends. The shell waits without processes of its own, by reading where nothing comes. */
  private val Script =
    """trap 'kill -CONT "$1"; exit' TERM
      |exec 3<> <(:)
      |while kill -STOP "$1"; do
      |  read -rt 0.06 -u 3
      |  kill -CONT "$1"
      |  read -rt 0.02 -u 3
      |done
      |""".stripMargin
}
