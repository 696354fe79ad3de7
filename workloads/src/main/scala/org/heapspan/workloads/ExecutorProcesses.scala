package org.heapspan.workloads

import java.nio.file.{Files, Path}
import java.time.Duration
import scala.jdk.CollectionConverters._
import scala.jdk.StreamConverters._
import scala.util.Try

/** The JVMs of the executors on this machine, which a local cluster starts as children of the driver. */
private[workloads] object ExecutorProcesses {
  private val Main = "CoarseGrainedExecutorBackend"

  /** What the JVM of an executor takes of the machine's memory.
    *
    * @param process
    *   its number
    * @param mostResidentBytes
    *   the most pages that it ever had in memory, those of mapped files included
    * @param anonymousBytes
    *   what it has there now that is of no file
    */
  final case class Memory(process: Long, mostResidentBytes: Long, anonymousBytes: Long)

  /** The memory of all of them. */
  def memory(): Seq[Memory] = all().flatMap { process =>
    // Gone in the meantime, perhaps.
    Try(Files.readAllLines(Path.of(s"/proc/${process.pid}/status")).asScala.toSeq).toOption.map { status =>
      def bytes(key: String) = status.find(_.startsWith(key)).map(_.filter(_.isDigit).toLong << 10).getOrElse(0L)
      Memory(process.pid, bytes("VmHWM:"), bytes("RssAnon:"))
    }
  }

  /** User and system time of all of them since they started. An executor that has ended is missing. */
  def cpuSeconds(): Double = all().map(_.info().totalCpuDuration().orElse(Duration.ZERO).toNanos / 1e9).sum

  /** Kills one, if there is any. */
  def killOne(): Unit = all().headOption.foreach(_.destroyForcibly())

  /** Slows one down, if there is any. */
  def slowOne(): Option[SlowedExecutor] = all().headOption.map(executor => new SlowedExecutor(executor.pid))

  private def all(): Seq[ProcessHandle] =
    ProcessHandle.current().descendants().toScala(Seq).filter(_.info().commandLine().orElse("").contains(Main))
}
