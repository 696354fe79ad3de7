package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

import java.lang.reflect.InvocationTargetException
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import scala.util.Using

/** A job that there is three times: with RDDs of Scala, with the library of Spark that does it best (DataFrames, GraphX or MLlib), and as a
  * native program of `examples/native`. All read the same files, do the same steps and write the same files. With `spark.benchmark.native`,
  * which names the folder of the compiled programs, the native one runs; with `spark.benchmark.library=true` that of the library. Others
  * run with `spark.benchmark.separate`, which names a folder of programs that need no Spark: those of `build-support/thrill` or
  * `build-support/plain`, if there is one of the job.
  */
abstract class Twin extends Workload {

  /** Those of Spark's `textFile`, which native programs have too. */
  override def partitions: Int = 2

  /** The native program, without `.so`. */
  def program: String

  /** The file that all read. */
  def file: String

  /** Whether it has lines. */
  def isText: Boolean = true

  /** Arguments of the native program behind the input and the output. */
  def arguments: Seq[String] = Seq.empty

  /** All arguments of the native program. */
  def allArguments(input: String, output: String): Seq[String] = Seq(input, output) ++ arguments

  /** What the twin in Scala writes. */
  def lines(spark: SparkContext, data: Data): RDD[_]

  /** What the twin that uses a library writes. */
  def libraryLines(spark: SparkContext, data: Data): RDD[_]

  /** Writes it. */
  def save(results: RDD[_], output: String): Unit = results.saveAsTextFile(output)

  /** What came out, in short. */
  def summary(lines: Iterator[String]): String

  /** The same of the files that were written, in the order of the partitions. */
  def summaryOf(files: Seq[Path]): String = summary(files.iterator.flatMap(Files.readAllLines(_).asScala))

  final override def run(spark: SparkContext, data: Data, scale: Double): String = {
    require(scale == 1, s"$name takes all data, but the scale is $scale")
    val folder = Files.createTempDirectory("twin")
    val output = folder.resolve("output")
    def programs(kind: String): Option[String] = spark.getConf.getOption(s"spark.benchmark.$kind")
    (programs("native"), programs("separate")) match {
      case (_, Some(programs))    => SeparateProgram.run(Path.of(programs, program), data.path(file), output, arguments)
      case (Some(programs), None) =>
        // Strawman B of the paper on Chukonu reads through Spark.
        val lines = Option.when(isText && spark.getConf.getBoolean("spark.benchmark.native.onHeap", false))(data.lines(spark, file))
        val input = lines.fold(data.location(file))(_ => "rdd:lines")
        Twin.runNative(spark, Path.of(programs, s"$program.so"), lines.map("lines" -> _).toMap, allArguments(input, output.toUri.toString))
      case (None, None) =>
        val made = if (spark.getConf.getBoolean("spark.benchmark.library", false)) libraryLines(spark, data) else lines(spark, data)
        save(made, output.toUri.toString)
    }
    // No twin shall pay for what an earlier one has left in memory.
    spark.getPersistentRDDs.values.foreach(_.unpersist(true))
    val parts = Using.resource(Files.list(output))(_.iterator.asScala.filter(_.getFileName.toString.startsWith("part-")).toSeq)
    val result = summaryOf(parts.sortBy(_.getFileName.toString))
    Using.resource(Files.walk(folder))(_.iterator.asScala.toSeq.reverse.foreach(Files.delete))
    result
  }
}

private[workloads] object Twin {

  /** By name: the workloads are compiled without Heapspan. */
  def runNative(spark: SparkContext, program: Path, inputs: Map[String, RDD[String]], arguments: Seq[String]): Unit =
    try
      Class
        .forName("org.heapspan.spark.nativerdd.NativePrograms")
        .getMethod("run", classOf[SparkContext], classOf[Path], classOf[java.util.Map[_, _]], classOf[Array[String]])
        .invoke(null, spark, program, inputs.asJava, arguments.toArray)
    catch { case failure: InvocationTargetException => throw failure.getCause }

  /** The number behind the last comma of a pair. */
  def second(line: String): String = line.substring(line.lastIndexOf(',') + 1, line.length - 1)

  /** All numbers of a line. */
  def numbers(line: String): Array[Double] = line.split("[^0-9.eE+-]+").filter(_.nonEmpty).map(_.toDouble)
}
