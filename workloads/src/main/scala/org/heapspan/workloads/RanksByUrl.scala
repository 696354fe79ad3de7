package org.heapspan.workloads

import org.apache.spark.rdd.RDD
import org.apache.spark.{SparkContext, SparkEnv}

/** Page ranks whose keys are URLs, as in ZCOT: each iteration shuffles the same strings again. The network and the latest ranks stay cached
  * until the next run.
  */
object RanksByUrl extends Workload {
  private val Iterations = 10
  private val Sites = 997

  /** More than there are cores, so that each executor gets some. */
  private val TasksOfExecutor = 4

  private var kept: Seq[RDD[_]] = Seq.empty

  override def name = "ranks-urls"
  override def title = "Page ranks of web pages by URL"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    kept.foreach(_.unpersist(blocking = true))
    val some = GraphWorkloads.edgesAmong(data.edges(spark, "cnr-2000.txt"), scale)
    val links = some.map { case (from, to) => (url(from), url(to)) }.groupByKey(data.partitions).cache()
    var ranks = links.mapValues(_ => 1.0)
    for (_ <- 1 to Iterations) {
      val received = links.join(ranks).values.flatMap { case (targets, rank) =>
        val share = rank / targets.size
        targets.map(target => (target, share))
      }
      ranks = received.reduceByKey(_ + _, data.partitions).mapValues(0.15 + 0.85 * _)
    }
    ranks.cache()
    kept = Seq(links, ranks)
    s"sum of ranks ${Workload.rounded(ranks.values.sum())}"
  }

  private def url(page: Int): String = s"http://www.site-${page % Sites}.example.org/${Integer.toHexString(page * 31)}/page-$page.html"

  override def heapBytes(spark: SparkContext): Long = {
    val executors = spark.statusTracker.getExecutorInfos.length
    spark
      .parallelize(1 to executors * TasksOfExecutor, executors * TasksOfExecutor)
      .map { _ =>
        System.gc()
        val runtime = Runtime.getRuntime
        (SparkEnv.get.executorId, runtime.totalMemory - runtime.freeMemory)
      }
      .collect()
      .groupMapReduce(_._1)(_._2)(math.min)
      .values
      .sum
  }
}
