package org.heapspan.workloads

import java.nio.file.{Files, Path}

/** A program in C++ that runs as a process of its own, without Spark: one of Thrill, another framework for native code, or one without any
  * framework.
  */
private[workloads] object SeparateProgram {

  /** Thrill may have as many threads and as much memory as the executors of the other twins have. Other programs do not read this. */
  private val Settings = Map(
    "THRILL_NET" -> "local",
    "THRILL_LOCAL" -> "2",
    "THRILL_WORKERS_PER_HOST" -> "1",
    "THRILL_RAM" -> "6GiB",
    "THRILL_LOG" -> ""
  )

  /** The shell knows the processor time of a process that has ended, and Java does not. */
  private val Timed = """TIMEFORMAT='%3U %3S'; { time "$@" 2>&3; } 3>&2 2> "$0""""

  @volatile private var cpu = 0.0

  /** User and system time of all programs that have run. */
  def cpuSeconds: Double = cpu

  /** Runs a program to its end.
    *
    * @param output
    *   a folder that does not exist yet
    */
  def run(program: Path, input: Path, output: Path, arguments: Seq[String]): Unit = {
    Files.createDirectory(output)
    val times = Files.createTempFile("times", "")
    val command = Seq("bash", "-c", Timed, times.toString, program.toString, input.toString, output.toString) ++ arguments
    val builder = new ProcessBuilder(command: _*).inheritIO()
    Settings.foreach { case (name, value) => builder.environment().put(name, value) }
    val status = builder.start().waitFor()
    if (status != 0) throw new IllegalStateException(s"$program ended with status $status")
    cpu += Files.readString(times).trim.split(' ').map(_.toDouble).sum
    Files.delete(times)
  }
}
