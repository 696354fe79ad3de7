package org.heapspan.workloads

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.storage.StorageLevel
import org.apache.spark.{SparkConf, SparkContext}

import java.nio.file.{Files, Path}

/** The application that runs one workload several times and writes down what it took. Its arguments: name of the workload, folder of the
  * unpacked data, scale, how often, the file for the figures; and, for a workload that caches, the storage level, as `StorageLevel` names
  * it.
  *
  * The figures, a JSON object: `title` of the workload, `results` (one for each time), `wallSeconds` and `cpuSeconds` (likewise), and for
  * all times together `executorCpuSeconds` (user and system time of the JVMs of the executors on this machine, from the first job on:
  * tasks, compilers, collector; or that of programs without Spark), `taskCpuSeconds` (and `taskCpuSecondsOfRuns`, one for each time),
  * `taskSeconds`, `collectorSeconds`, `shuffleBytes` (as written, after compression), `spilledBytes`, `tasks`, `failedTasks`,
  * `lostExecutors`. Of cached partitions: `evictedPartitions` (how often one had to leave memory), `storedAgain` (how often one was
  * computed and stored that had been stored before), and, when most was cached, `cachedMemoryBytes`, `cachedDiskBytes`, `cachedPartitions`
  * of `partitionsToCache`. Of the executors: `residentBytes` (peak of their resident memory, pages of mapped files included, all together)
  * and `anonymousBytes` (the same without files), and `heapBytes` (what their heaps hold at the end, after a garbage collection; 0 unless
  * the workload says).
  *
  * With `spark.benchmark.kill=true` an executor is killed in the middle of the last time. With `spark.benchmark.slow=true` one is slowed
  * down the last time.
  */
object Run {
  def main(arguments: Array[String]): Unit = {
    require(
      arguments.length == 5 || arguments.length == 6,
      s"${arguments.length} arguments, expected 5 or 6: WORKLOAD DATA SCALE TIMES FIGURES [LEVEL]"
    )
    val Seq(folder, scale, times, file) = arguments.toSeq.slice(1, 5): @unchecked
    val workload = Workload.named(arguments(0))
    val job: (SparkContext, Data) => String = (workload, arguments.lift(5)) match {
      case (caching: CachingWorkload, Some(level)) => caching.run(_, _, scale.toDouble, StorageLevel.fromString(level))
      case (_, Some(level)) => throw new IllegalArgumentException(s"${workload.name} takes no storage level, but there is one: $level")
      case (_, None)        => workload.run(_, _, scale.toDouble)
    }
    val spark = new SparkContext(new SparkConf().setAppName(workload.title))
    try {
      val data = new Data(Path.of(folder), workload.partitions)
      val figures = measure(spark, workload, () => job(spark, data), times.toInt)
      Files.writeString(Path.of(file), figures)
    } finally spark.stop()
  }

  private def measure(spark: SparkContext, workload: Workload, job: () => String, times: Int): String = {
    // Executors come one by one: none may have its start counted, and all shall be there from the first job on.
    val executors = if (spark.isLocal) 0 else spark.getConf.getInt("spark.executor.instances", 2)
    while (spark.statusTracker.getExecutorInfos.length < executors + 1) Thread.sleep(20)
    val totals = new TaskTotals
    val blocks = new CachedBlocks
    spark.addSparkListener(totals)
    spark.addSparkListener(blocks)
    val killer = new ExecutorKiller
    spark.addSparkListener(killer)
    val peaks = new Peaks(spark)
    def cpuNow() = ExecutorProcesses.cpuSeconds() + SeparateProgram.cpuSeconds
    val cpuBefore = cpuNow()
    val rounds = (1 to times).map { time =>
      def isLastAnd(trouble: String) = time == times && spark.getConf.getBoolean(s"spark.benchmark.$trouble", false)
      totals.beginRound()
      killer.beginRound(kills = isLastAnd("kill"))
      val slowed = if (isLastAnd("slow")) ExecutorProcesses.slowOne() else None
      val cpuStart = cpuNow()
      val start = System.nanoTime
      val result = job()
      val wall = (System.nanoTime - start) / 1e9
      val ownCpu = cpuNow() - cpuStart
      slowed.foreach(_.close())
      println(f"${workload.name} $time/$times: $wall%.1f s, $result")
      (result, wall, ownCpu)
    }
    val cpu = cpuNow() - cpuBefore
    peaks.close()
    val heapBytes = workload.heapBytes(spark)
    totals.settle()
    val mapper = new ObjectMapper()
    val figures = mapper.createObjectNode()
    val results = figures.putArray("results")
    val walls = figures.putArray("wallSeconds")
    val cpus = figures.putArray("cpuSeconds")
    rounds.foreach { case (result, wall, ownCpu) =>
      results.add(result)
      walls.add(wall)
      cpus.add(ownCpu)
    }
    val taskCpus = figures.putArray("taskCpuSecondsOfRuns")
    totals.cpuNanosOfRounds.foreach(nanos => taskCpus.add(nanos / 1e9))
    figures
      .put("title", workload.title)
      .put("executorCpuSeconds", cpu)
      .put("taskCpuSeconds", totals.cpuNanos / 1e9)
      .put("taskSeconds", totals.runMillis / 1e3)
      .put("collectorSeconds", totals.collectorMillis / 1e3)
      .put("shuffleBytes", totals.shuffleBytes)
      .put("spilledBytes", totals.spilledBytes)
      .put("tasks", totals.tasks)
      .put("failedTasks", totals.failedTasks)
      .put("lostExecutors", totals.lostExecutors)
      .put("evictedPartitions", blocks.evicted)
      .put("storedAgain", blocks.storedAgain)
      .put("cachedMemoryBytes", peaks.cached.memoryBytes)
      .put("cachedDiskBytes", peaks.cached.diskBytes)
      .put("cachedPartitions", peaks.cached.partitions)
      .put("partitionsToCache", peaks.cached.ofPartitions)
      .put("residentBytes", peaks.residentBytes)
      .put("anonymousBytes", peaks.anonymousBytes)
      .put("heapBytes", heapBytes)
    mapper.writerWithDefaultPrettyPrinter().writeValueAsString(figures)
  }
}
