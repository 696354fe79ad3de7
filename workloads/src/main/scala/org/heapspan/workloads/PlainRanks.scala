package org.heapspan.workloads

import org.apache.spark.SparkContext

/** Page ranks without a library for graphs, as in Spark's own examples: the control, since little of it is objects. */
object PlainRanks extends Workload {
  private val Iterations = 5

  override def name = "ranks-plain"
  override def title = "Page ranks of web pages (plain RDDs)"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val some = GraphWorkloads.edgesAmong(data.edges(spark, "cnr-2000.txt"), scale)
    val links = some.groupByKey(data.partitions).cache()
    var ranks = links.mapValues(_ => 1.0)
    for (_ <- 1 to Iterations) {
      val received = links.join(ranks).values.flatMap { case (targets, rank) =>
        val share = rank / targets.size
        targets.map(target => (target, share))
      }
      ranks = received.reduceByKey(_ + _, data.partitions).mapValues(0.15 + 0.85 * _)
    }
    val sum = ranks.values.sum()
    links.unpersist()
    s"sum of ranks ${Workload.rounded(sum)}"
  }
}
