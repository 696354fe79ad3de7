package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** The folder of input files, unpacked: text with a record a line.
  *
  * @param folder
  *   where they lie, the same on all machines
  * @param partitions
  *   of each input
  */
final class Data(folder: Path, val partitions: Int) extends Serializable {
  private val root = folder.toAbsolutePath.toString

  /** The lines of a file. */
  def lines(spark: SparkContext, name: String): RDD[String] = spark.textFile(location(name), partitions)

  /** Where a file is, as Spark wants to be told. */
  def location(name: String): String = s"file://${path(name)}"

  /** Where a file is. */
  def path(name: String): Path = {
    val file = Path.of(root).resolve(name)
    if (!Files.isReadable(file))
      throw new IllegalArgumentException(s"no file $file; it is unpacked by the program that starts the workloads")
    file
  }

  /** The edges of a graph: two numbers a line, parted by a tab; lines that begin with # are comments. */
  def edges(spark: SparkContext, name: String): RDD[(Int, Int)] =
    lines(spark, name).filter(line => line.nonEmpty && line.charAt(0) != '#').map { line =>
      val tab = line.indexOf('\t')
      (line.substring(0, tab).toInt, line.substring(tab + 1).toInt)
    }

  /** A small file as a whole, in the driver. */
  def text(name: String): String = Files.readString(path(name))

  /** The lines of a small file, in the driver. */
  def allLines(name: String): Seq[String] = Files.readAllLines(path(name)).asScala.toSeq
}
