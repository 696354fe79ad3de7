package org.heapspan.workloads

import org.apache.spark.SparkContext

/** Which blogs are reached from which in up to so many steps (ZCOT, section 6.3): pairs of boxed numbers, joined again and again. */
object TransitiveClosure extends Workload {
  private val Steps = 2

  override def name = "transitive-closure"
  override def title = "Transitive closure of blogs"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val blogs = metis(data.allLines("polblogs.graph"))
    val most = (blogs.size * math.min(1.0, scale)).toInt
    val edges = spark
      .parallelize(for ((near, blog) <- blogs.zipWithIndex.take(most); other <- near if other < most) yield (blog, other), data.partitions)
      .cache()
    val backwards = edges.map(_.swap)
    var paths = edges
    for (_ <- 1 until Steps) {
      paths = paths
        .union(paths.join(backwards.map { case (to, from) => (to, from) }).map { case (_, (end, from)) => (from, end) })
        .distinct(data.partitions)
    }
    s"${paths.count()} paths"
  }

  /** The neighbours of each vertex: METIS has them in a line each, counted from 1, after a line that counts vertices and edges. */
  private def metis(lines: Seq[String]): IndexedSeq[Seq[Int]] =
    lines.tail.map(_.split(' ').toSeq.filter(_.nonEmpty).map(_.toInt - 1)).toIndexedSeq
}
