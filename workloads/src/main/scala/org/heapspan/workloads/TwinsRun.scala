package org.heapspan.workloads

import org.apache.spark.{SparkConf, SparkContext}

import java.nio.file.{Files, Path}
import java.util.Arrays
import scala.jdk.CollectionConverters._
import scala.util.Using

/** The application that compares all of what native programs write with what their twins in Scala write. Its arguments: the file for what
  * was found, a line for each twin (`twin-words=31 lines are the same`, or the first that differs), the folder of the compiled programs,
  * and that of the data.
  */
object TwinsRun {

  /** Sums of floating-point numbers depend on the order of additions. */
  private val Tolerance = 1e-9

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 3, s"${arguments.length} arguments, expected 3: RESULTS PROGRAMS DATA")
    val programs = Path.of(arguments(1))
    val spark = new SparkContext(new SparkConf().setAppName("Native programs and their twins"))
    try {
      val found = Workload.twins.map { twin =>
        val data = new Data(Path.of(arguments(2)), twin.partitions)
        val folder = Files.createTempDirectory(programs, "twin")
        def output(kind: String) = folder.resolve(kind).toUri.toString
        twin.save(twin.lines(spark, data), output("scala"))
        val input = data.location(twin.file)
        Twin.runNative(spark, programs.resolve(s"${twin.program}.so"), Map.empty, twin.allArguments(input, output("native")))
        val (scala, native) = (parts(folder.resolve("scala")), parts(folder.resolve("native")))
        twin.name -> (if (twin.isText) compare(lines(scala), lines(native)) else compare(bytes(scala), bytes(native)))
      }
      Files.write(Path.of(arguments(0)), found.map { case (name, outcome) => s"$name=$outcome" }.asJava)
    } finally spark.stop()
  }

  private def parts(folder: Path): Seq[Path] =
    Using.resource(Files.list(folder))(_.iterator.asScala.filter(_.getFileName.toString.startsWith("part-")).toSeq).sortBy(_.toString)

  /** Pairs in the order of their keys, as their partitions may be others; what has no keys in its own order. */
  private def lines(files: Seq[Path]): Seq[String] = {
    val all = files.flatMap(Files.readAllLines(_).asScala)
    if (all.forall(_.startsWith("("))) all.sortBy(key) else all
  }

  /** What stands before the number or the vector of numbers at the end of a pair; nothing of a line that is a number. */
  private def key(line: String): String = {
    val vector = line.lastIndexOf(",[")
    line.substring(0, math.max(0, if (vector >= 0 && line.endsWith("])")) vector else line.lastIndexOf(',')))
  }

  private def bytes(files: Seq[Path]): Array[Byte] = files.flatMap(Files.readAllBytes(_)).toArray

  private def compare(expected: Array[Byte], found: Array[Byte]): String =
    if (Arrays.equals(expected, found)) s"${found.length} bytes are the same"
    else s"byte ${Arrays.mismatch(expected, found)} of ${expected.length} and ${found.length} differs"

  private def compare(expected: Seq[String], found: Seq[String]): String =
    expected.zipAll(found, "the end", "the end").find { case (one, other) => !same(one, other) } match {
      case Some((one, other)) => s"expected $one, found $other"
      case None               => s"${found.size} lines are the same"
    }

  private def same(one: String, other: String): Boolean =
    one == other || key(one) == key(other) && nearlySame(values(one), values(other))

  private def values(line: String): Array[Double] = Twin.numbers(line.substring(key(line).length))

  private def nearlySame(one: Array[Double], other: Array[Double]): Boolean =
    one.length == other.length && one.zip(other).forall { case (a, b) => math.abs(a - b) <= Tolerance * math.abs(a) }
}
