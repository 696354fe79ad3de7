package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.graphx.{Edge, Graph, PartitionStrategy}
import org.apache.spark.graphx.lib.{ConnectedComponents, PageRank, TriangleCount}
import org.apache.spark.rdd.RDD

/** Jobs of GraphX, Spark's library for graphs. */
private[workloads] object GraphWorkloads {
  private val TwitterShare = 1.0
  private val WebShare = 0.25
  private val RankIterations = 5

  object TrianglesTwitter extends Workload {
    override def name = "triangles"
    override def title = "Triangles among Twitter users (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double): String = {
      val graph = graphOf(spark, data, "ego-Twitter-undirected.txt", TwitterShare * scale)
        .partitionBy(PartitionStrategy.RandomVertexCut)
      val corners = TriangleCount.run(graph).vertices.map(_._2.toLong).sum().toLong
      s"${corners / 3} triangles"
    }
  }

  object ComponentsWeb extends Workload {
    override def name = "components"
    override def title = "Connected components of web pages (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double): String = {
      val components = ConnectedComponents.run(graphOf(spark, data, "cnr-2000.txt", WebShare * scale)).vertices.map(_._2)
      s"${components.distinct(data.partitions).count()} components"
    }
  }

  object RanksWeb extends Workload {
    override def name = "ranks-graphx"
    override def title = "Page ranks of web pages (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double): String = {
      val ranks = PageRank.run(graphOf(spark, data, "cnr-2000.txt", WebShare * scale), RankIterations).vertices.map(_._2)
      s"sum of ranks ${Workload.rounded(ranks.sum())}"
    }
  }

  /** A share of a graph: the edges among its first vertices. */
  private def graphOf(spark: SparkContext, data: Data, name: String, share: Double): Graph[Int, Int] = {
    val some = edgesAmong(data.edges(spark, name), share)
    Graph.fromEdges(some.map { case (from, to) => Edge(from.toLong, to.toLong, 1) }, 1)
  }

  /** The edges among a share of the vertices. */
  def edgesAmong(edges: RDD[(Int, Int)], share: Double): RDD[(Int, Int)] =
    if (share < 1) edges.filter { case (from, to) => math.max(from, to) % 1000 < share * 1000 }
    else edges
}
