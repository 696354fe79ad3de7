package org.heapspan.workloads

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.{SparkConf, SparkContext}

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.time.Duration

/** The application that measures how Spark starts, and then what a query over rows takes, which Spark carries itself. Its arguments: scale
  * of the query, how often it runs before it is measured, how often while it is, the file for the figures.
  *
  * The figures, a JSON object of seconds: `context` (to make a SparkContext), `executors` (from then on until all executors are there),
  * `firstQuery` (from then on until a small query has its result), `whole` (all of these, and the start of the driver's JVM before);
  * `driverCpu` and `executorsCpu` (user and system time of the JVM, or JVMs, from their start until then); `queryWall`, `queryCpu` (of the
  * queries that are measured: time, and user and system time of the executors).
  */
object StartUp {
  private val Partitions = 8
  private val SmallScale = 0.001

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 4, s"${arguments.length} arguments, expected 4: SCALE WARM-UP TIMES FIGURES")
    val Seq(scale, warmUp, times, file) = arguments.toSeq: @unchecked
    val data = new Data(Path.of(""), Partitions)
    val mapper = new ObjectMapper()
    val figures = mapper.createObjectNode()
    val begin = System.nanoTime
    val spark = new SparkContext(new SparkConf().setAppName("Start-up"))
    try {
      val context = System.nanoTime
      while (spark.statusTracker.getExecutorInfos.length < spark.getConf.getInt("spark.executor.instances", 2) + 1) Thread.sleep(5)
      val executors = System.nanoTime
      TableOnly.run(spark, data, SmallScale)
      figures
        .put("context", (context - begin) / 1e9)
        .put("executors", (executors - context) / 1e9)
        .put("firstQuery", (System.nanoTime - executors) / 1e9)
        .put("whole", (System.currentTimeMillis - ManagementFactory.getRuntimeMXBean.getStartTime) / 1e3)
        .put("driverCpu", ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos / 1e9)
        .put("executorsCpu", ExecutorProcesses.cpuSeconds())
      (1 to warmUp.toInt).foreach(_ => TableOnly.run(spark, data, scale.toDouble))
      val cpu = ExecutorProcesses.cpuSeconds()
      val queries = System.nanoTime
      (1 to times.toInt).foreach(_ => TableOnly.run(spark, data, scale.toDouble))
      figures
        .put("queryWall", (System.nanoTime - queries) / 1e9)
        .put("queryCpu", ExecutorProcesses.cpuSeconds() - cpu)
    } finally spark.stop()
    Files.writeString(Path.of(file), mapper.writeValueAsString(figures))
  }
}
