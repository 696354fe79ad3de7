package org.heapspan.workloads.wide

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import java.nio.file.{Files, Path}
import scala.util.control.NonFatal

/** Where features run.
  *
  * @param folder
  *   for files that executors see too
  */
private[wide] final class Setting(val session: SparkSession, val folder: Path) {
  def context: SparkContext = session.sparkContext

  /** A path for files, new for each name. */
  def path(name: String): String = folder.resolve(name).toString
}

/** One thing that a program can do with Spark.
  *
  * @param run
  *   does it and tells what came of it, in a text that does not depend on the order of records
  */
private[wide] final case class Feature(name: String, run: Setting => String)

/** Features of one part of Spark. */
private[wide] trait FeatureGroup {
  def features: Seq[Feature]
}

private[wide] object Feature {

  /** Runs features one after the other and writes a line for each: its name, `=`, and what came of it. A feature that fails gives `failed:
    * ` and why, which says nothing of the features after it.
    *
    * @param arguments
    *   of the application: the file for the lines, a folder for other files, and the features to leave out, divided by semicolons, with `*`
    *   for any part of a name
    */
  def writeAll(groups: Seq[FeatureGroup], session: SparkSession, arguments: Array[String]): Unit = {
    val Array(file, folder) = arguments.take(2): @unchecked
    val leftOut = arguments.lift(2).toSeq.flatMap(_.split(';')).map(_.split("[*]", -1).map(java.util.regex.Pattern.quote).mkString(".*").r)
    val features = groups.flatMap(_.features).filterNot(feature => leftOut.exists(_.matches(feature.name)))
    require(features.map(_.name).distinct.size == features.size, "two features have one name")
    val setting = new Setting(session, Files.createDirectories(Path.of(folder)))
    val lines = features.map { feature =>
      val start = System.nanoTime
      val found = result(feature, setting)
      println(f"${(System.nanoTime - start) / 1e9}%6.2f s  ${feature.name}: ${found.take(200)}")
      s"${feature.name}=$found\n"
    }
    Files.writeString(Path.of(file), lines.mkString)
  }

  private def result(feature: Feature, setting: Setting): String = {
    val text =
      try feature.run(setting)
      catch { case NonFatal(e) => s"failed: $e" }
    text.replaceAll("\\R", " ")
  }
}
