package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.graphx._

import scala.reflect.ClassTag

/** The six algorithms of LDBC Graphalytics (specification, section 2.3) on GraphX. Graphs that are not directed have each edge in both
  * directions.
  */
object Graphalytics {

  /** How many edges away from the source each vertex is; `Long.MaxValue` where there is no way. */
  def breadthFirstSearch(graph: Graph[Unit, Double], source: VertexId): Map[VertexId, Long] = {
    val start = graph.mapVertices((id, _) => if (id == source) 0L else Long.MaxValue)
    val ended = start.pregel(Long.MaxValue)(
      (_, known, told) => math.min(known, told),
      edge =>
        if (edge.srcAttr != Long.MaxValue && edge.srcAttr + 1 < edge.dstAttr) Iterator((edge.dstId, edge.srcAttr + 1)) else Iterator.empty,
      (a, b) => math.min(a, b)
    )
    collected(ended)
  }

  /** The length of the shortest way from the source; infinite where there is none. */
  def shortestPaths(graph: Graph[Unit, Double], source: VertexId): Map[VertexId, Double] = {
    val start = graph.mapVertices((id, _) => if (id == source) 0.0 else Double.PositiveInfinity)
    val ended = start.pregel(Double.PositiveInfinity)(
      (_, known, told) => math.min(known, told),
      edge => if (edge.srcAttr + edge.attr < edge.dstAttr) Iterator((edge.dstId, edge.srcAttr + edge.attr)) else Iterator.empty,
      (a, b) => math.min(a, b)
    )
    collected(ended)
  }

  /** The smallest vertex of the component of each vertex, whatever the direction of edges. */
  def weaklyConnectedComponents(graph: Graph[Unit, Double]): Map[VertexId, Long] = collected(graph.connectedComponents())

  /** The rank of each vertex after so many rounds; what vertices without edges out of them have is dealt out to all. */
  def pageRank(graph: Graph[Unit, Double], iterations: Int, damping: Double): Map[VertexId, Double] = {
    val count = graph.numVertices
    val degrees = graph.outerJoinVertices(graph.outDegrees)((_, _, degree) => degree.getOrElse(0)).cache()
    var ranks = degrees.mapVertices((_, degree) => (degree, 1.0 / count)).cache()
    for (_ <- 1 to iterations) {
      val stuck = ranks.vertices.map { case (_, (degree, rank)) => if (degree == 0) rank else 0.0 }.sum()
      val sums = ranks.aggregateMessages[Double](edge => edge.sendToDst(edge.srcAttr._2 / edge.srcAttr._1), _ + _, TripletFields.Src)
      ranks = ranks
        .outerJoinVertices(sums) { case (_, (degree, _), sum) =>
          (degree, (1 - damping) / count + damping * (sum.getOrElse(0.0) + stuck / count))
        }
        .cache()
    }
    collected(ranks.mapVertices((_, state) => state._2))
  }

  /** The label of each vertex after so many rounds in which each takes the commonest label of its neighbours, the smallest of several. */
  def communities(graph: Graph[Unit, Double], directed: Boolean, iterations: Int): Map[VertexId, Long] = {
    var labels = graph.mapVertices((id, _) => id).cache()
    for (_ <- 1 to iterations) {
      val votes = labels.aggregateMessages[Map[Long, Long]](
        edge => {
          edge.sendToDst(Map(edge.srcAttr -> 1L))
          // In a graph that is not directed the way back is an edge of its own.
          if (directed) edge.sendToSrc(Map(edge.dstAttr -> 1L))
        },
        (a, b) => b.foldLeft(a) { case (sum, (label, count)) => sum.updated(label, sum.getOrElse(label, 0L) + count) }
      )
      labels = labels
        .outerJoinVertices(votes) { (_, label, counts) =>
          counts.fold(label)(_.minBy { case (candidate, count) => (-count, candidate) }._1)
        }
        .cache()
    }
    collected(labels)
  }

  /** For each vertex, which share of the edges that its neighbours could have among themselves there is. */
  def clusteringCoefficients(graph: Graph[Unit, Double]): Map[VertexId, Double] = {
    val plain = graph.mapVertices((_, _) => ())
    val neighbours = around(plain, both = true)
    val out = around(plain, both = false)
    val known = plain
      .outerJoinVertices(neighbours)((_, _, set) => set.getOrElse(Set.empty[VertexId]))
      .outerJoinVertices(out)((_, all, followed) => (all, followed.getOrElse(Set.empty[VertexId])))
    // Both ends of an edge tell each other whom they follow, once for each pair of neighbours.
    val found = known.aggregateMessages[Map[VertexId, Long]](
      edge => {
        edge.sendToDst(Map(edge.srcId -> (edge.srcAttr._2 & edge.dstAttr._1).size.toLong))
        edge.sendToSrc(Map(edge.dstId -> (edge.dstAttr._2 & edge.srcAttr._1).size.toLong))
      },
      _ ++ _
    )
    collected(known.outerJoinVertices(found) { case (_, (all, _), links) =>
      val possible = all.size.toLong * (all.size - 1)
      if (possible == 0) 0.0 else links.fold(0L)(_.values.sum).toDouble / possible
    })
  }

  private def around(graph: Graph[Unit, Double], both: Boolean): VertexRDD[Set[VertexId]] =
    graph.aggregateMessages[Set[VertexId]](
      edge =>
        if (edge.srcId != edge.dstId) {
          edge.sendToSrc(Set(edge.dstId))
          if (both) edge.sendToDst(Set(edge.srcId))
        },
      _ ++ _
    )

  /** A graph of vertices and edges as Graphalytics has them: a number a line; source, target and where there is one a weight.
    *
    * @param directed
    *   whether edges go one way only
    */
  def graph(spark: SparkContext, vertices: Seq[String], edges: Seq[String], directed: Boolean): Graph[Unit, Double] = {
    val parsed = edges.filter(_.nonEmpty).map { line =>
      val fields = line.trim.split("\\s+")
      Edge(fields(0).toLong, fields(1).toLong, if (fields.length > 2) fields(2).toDouble else 1.0)
    }
    val all = if (directed) parsed else parsed ++ parsed.map(edge => Edge(edge.dstId, edge.srcId, edge.attr))
    Graph(spark.parallelize(vertices.filter(_.nonEmpty).map(line => (line.trim.toLong, ())), 4), spark.parallelize(all, 4))
  }

  private def collected[V: ClassTag](graph: Graph[V, Double]): Map[VertexId, V] = graph.vertices.collect().toMap
}
