package org.heapspan.workloads.wide

import org.apache.spark.SparkConf
import org.apache.spark.repl.{Main, SparkILoop}

import scala.tools.nsc.Settings

/** Classes of lines that are typed into spark-shell. */
private[wide] object ShellClasses extends FeatureGroup {
  private val lines = """
    case class Reading(sensor: String, level: Double)
    case class Room(name: String, readings: List[Reading]) { val sensors = readings.map(_.sensor).toSet }
    class Scale(val factor: Double) extends Serializable { def apply(reading: Reading) = reading.copy(level = reading.level * factor) }
    val scale = new Scale(2)
    val rooms = sc.parallelize(0 until 60, 4).map(n => (n % 4, Room(s"room $n", List.tabulate(n % 3)(k => Reading(s"s$k", n + k)))))
    val grouped = rooms.groupByKey(3).cache()
    val sums = grouped.mapValues(_.flatMap(_.readings).map(scale(_).level).sum)
    println("found " + sums.collect().toSeq.sorted)
    println("found " + grouped.flatMap(_._2).map(_.toString).collect().toSeq.sorted.hashCode)
    println("found " + rooms.map { case (n, room) => Option(n % 2) -> room.sensors }.reduceByKey(_ ++ _).map(_.toString).collect().toSeq.sorted)
    val scales = sc.parallelize(1 to 8, 2).map(n => n % 3 -> new Scale(n)).reduceByKey((a, b) => new Scale(a.factor * b.factor))
    println("found " + scales.mapValues(_(Reading("x", 1)).toString).collect().toSeq.sorted)
    grouped.unpersist(true)
    val shared = sc.broadcast(Room("hall", Nil))
    println("found " + sc.parallelize(1 to 4, 2).map(n => n + shared.value.name).collect().toSeq.sorted)
    import spark.implicits._
    println("found " + Seq(Reading("a", 1), Reading("b", 2)).toDS().map(r => r.copy(level = r.level + 1)).collect().map(_.toString).toSeq.sorted)
    println("found " + spark.range(3).as[Long].map(n => Room(s"$n", Nil)).map(_.name).collect().toSeq.sorted)
  """

  override def features: Seq[Feature] = Seq(Feature("classes of spark-shell", typed))

  /** Lets executors load the classes, as spark-shell does. */
  def prepared(conf: SparkConf): SparkConf = conf.set("spark.repl.class.outputDir", Main.outputDir.getAbsolutePath)

  private def typed(setting: Setting): String = {
    Main.sparkContext = setting.context
    Main.sparkSession = setting.session
    val settings = new Settings
    settings.processArguments(
      List("-Yrepl-class-based", "-Yrepl-outdir", Main.outputDir.getAbsolutePath, "-classpath", System.getProperty("java.class.path")),
      processAll = true
    )
    val before = Thread.currentThread.getContextClassLoader
    val said =
      try SparkILoop.run(lines, settings)
      finally Thread.currentThread.setContextClassLoader(before)
    val found = said.linesIterator.filter(_.contains("found ")).map(line => line.substring(line.indexOf("found ") + 6)).toSeq
    if (found.size == 7) Canonical.inOrder(found) else s"failed: $said"
  }
}
