package org.heapspan.workloads

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.{SparkConf, SparkContext}

import java.nio.file.{Files, Path}

/** The application that runs one workload several times and writes down what it took. Its arguments: name of the workload, folder of the
  * unpacked data, scale, how often, the file for the figures.
  *
  * The figures, a JSON object: `title` of the workload, `results` (one for each time), `wallSeconds` (likewise), and for all times together
  * `executorCpuSeconds` (user and system time of the JVMs of the executors on this machine, from the first job on: tasks, compilers,
  * collector), `taskCpuSeconds`, `taskSeconds`, `collectorSeconds`, `shuffleBytes` (as written, after compression), `spilledBytes`,
  * `tasks`.
  */
object Run {
  private val Partitions = 8

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 5, s"${arguments.length} arguments, expected 5: WORKLOAD DATA SCALE TIMES FIGURES")
    val Seq(folder, scale, times, file) = arguments.toSeq.drop(1): @unchecked
    val workload = Workload.named(arguments(0))
    val spark = new SparkContext(new SparkConf().setAppName(workload.title))
    try {
      val figures = measure(spark, workload, new Data(Path.of(folder), Partitions), scale.toDouble, times.toInt)
      Files.writeString(Path.of(file), figures)
    } finally spark.stop()
  }

  private def measure(spark: SparkContext, workload: Workload, data: Data, scale: Double, times: Int): String = {
    // Executors come one by one: none may have its start counted, and all shall be there from the first job on.
    val executors = spark.getConf.getInt("spark.executor.instances", 2)
    while (spark.statusTracker.getExecutorInfos.length < executors + 1) Thread.sleep(20)
    val totals = new TaskTotals
    spark.addSparkListener(totals)
    val cpuBefore = ExecutorProcesses.cpuSeconds()
    val rounds = (1 to times).map { time =>
      val start = System.nanoTime
      val result = workload.run(spark, data, scale)
      val wall = (System.nanoTime - start) / 1e9
      println(f"${workload.name} $time/$times: $wall%.1f s, $result")
      (result, wall)
    }
    val cpu = ExecutorProcesses.cpuSeconds() - cpuBefore
    totals.settle()
    val mapper = new ObjectMapper()
    val figures = mapper.createObjectNode()
    val results = figures.putArray("results")
    val walls = figures.putArray("wallSeconds")
    rounds.foreach { case (result, wall) =>
      results.add(result)
      walls.add(wall)
    }
    figures
      .put("title", workload.title)
      .put("executorCpuSeconds", cpu)
      .put("taskCpuSeconds", totals.cpuNanos / 1e9)
      .put("taskSeconds", totals.runMillis / 1e3)
      .put("collectorSeconds", totals.collectorMillis / 1e3)
      .put("shuffleBytes", totals.shuffleBytes)
      .put("spilledBytes", totals.spilledBytes)
      .put("tasks", totals.tasks)
    mapper.writerWithDefaultPrettyPrinter().writeValueAsString(figures)
  }
}
