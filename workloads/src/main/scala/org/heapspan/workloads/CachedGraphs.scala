package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.graphx.{Edge, Graph, PartitionStrategy}
import org.apache.spark.graphx.lib.{ConnectedComponents, PageRank, ShortestPaths, TriangleCount}
import org.apache.spark.storage.StorageLevel

/** Jobs of GraphX, Spark's library for graphs, which caches the graph of each step. A graph is there several times, as parts that do not
  * touch.
  */
private[workloads] object CachedGraphs {
  private val WebCopies = 9.0
  private val PathCopies = 10.0
  private val TriangleCopies = 5.0
  private val MadeUpEdges = 7500000L
  private val MadeUpVertices = 1500000
  private val RankIterations = 5
  private val ComponentIterations = 8
  private val Landmarks = 4

  /** So far apart are the numbers of a vertex in two copies. */
  private val Stride = 1L << 24

  val all: Seq[CachingWorkload] = Seq(Ranks, Components, Paths, Triangles)

  private trait GraphJob extends CachingWorkload {
    override def partitions = 40
  }

  private object Ranks extends GraphJob {
    override def name = "cached-ranks"
    override def title = "Page ranks of web pages (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val graph = graphOf(spark, data, "cnr-2000.txt", WebCopies * scale, level)
      // Their sum is the number of pages, whatever they are.
      val squares = PageRank.run(graph, RankIterations).vertices.map { case (_, rank) => rank * rank }
      s"sum of squared ranks ${Workload.rounded(squares.sum())}"
    }
  }

  private object Components extends GraphJob {
    override def name = "cached-components"
    override def title = "Connected components of a graph made up (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val vertices = math.max(1, (MadeUpVertices * scale).toInt)
      val made = MadeUp.edges(spark, data.partitions, (MadeUpEdges * scale).toLong, vertices)
      val graph = Graph.fromEdges(made.map { case (from, to) => Edge(from.toLong, to.toLong, 1) }, 1, level, level)
      val components = ConnectedComponents.run(graph, ComponentIterations).vertices.map(_._2)
      s"${components.distinct(data.partitions).count()} components after $ComponentIterations steps"
    }
  }

  private object Paths extends GraphJob {
    override def name = "cached-paths"
    override def title = "Shortest paths among Twitter users (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val copies = PathCopies * scale
      val graph = graphOf(spark, data, "ego-Twitter-undirected.txt", copies, level, bothWays = true)
      val landmarks = for (copy <- 0 until whole(copies); vertex <- 1 to Landmarks) yield copy * Stride + vertex
      val found = ShortestPaths
        .run(graph, landmarks)
        .vertices
        .map { case (_, steps) => (steps.size.toLong, steps.values.map(_.toLong).sum) }
        .fold((0L, 0L)) { case ((paths, steps), (more, further)) => (paths + more, steps + further) }
      s"${found._1} paths of ${found._2} steps"
    }
  }

  private object Triangles extends GraphJob {
    override def name = "cached-triangles"
    override def title = "Triangles among Twitter users (GraphX)"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val graph = graphOf(spark, data, "ego-Twitter-undirected.txt", TriangleCopies * scale, level)
        .partitionBy(PartitionStrategy.RandomVertexCut)
      s"${TriangleCount.run(graph).vertices.map(_._2.toLong).sum().toLong / 3} triangles"
    }
  }

  private def whole(copies: Double): Int = math.max(1, math.round(copies).toInt)

  /** So many copies of a graph; for less than one the edges among some of its vertices. */
  private def graphOf(
      spark: SparkContext,
      data: Data,
      name: String,
      copies: Double,
      level: StorageLevel,
      bothWays: Boolean = false
  ): Graph[Int, Int] = {
    val number = whole(copies)
    val once = GraphWorkloads.edgesAmong(data.edges(spark, name), copies)
    val directed = if (bothWays) once.flatMap { case (from, to) => Seq((from, to), (to, from)) }
    else once
    val edges = directed.flatMap { case (from, to) =>
      Iterator.range(0, number).map(copy => Edge(copy * Stride + from, copy * Stride + to, 1))
    }
    Graph.fromEdges(edges, 1, level, level)
  }
}
