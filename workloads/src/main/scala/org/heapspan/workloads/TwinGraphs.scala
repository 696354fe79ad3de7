package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.graphx.lib.{ConnectedComponents, TriangleCount}
import org.apache.spark.graphx.{Edge, Graph, PartitionStrategy}
import org.apache.spark.rdd.RDD

/** `connected_components.cpp`: groups of Twitter users that are connected. */
object TwinComponents extends Twin {
  override def name = "twin-components"
  override def title = "Connected components"
  override def program = "connected_components"
  override def file = "ego-Twitter-undirected.txt"

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val neighbors = data.edges(spark, file).flatMap { case (a, b) => Seq((a, b), (b, a)) }.distinct().groupByKey().cache()
    var labels = neighbors.mapPartitions(_.map { case (vertex, _) => (vertex, vertex) }, preservesPartitioning = true).cache()
    var changed = 1L
    while (changed != 0) {
      val former = labels
      labels = neighbors
        .join(former)
        .flatMap { case (vertex, (others, label)) => Iterator((vertex, label)) ++ others.iterator.map((_, label)) }
        .reduceByKey((a, b) => math.min(a, b))
        .cache()
      changed = labels.join(former).filter { case (_, (now, before)) => now != before }.count()
      former.unpersist()
    }
    labels
  }

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] =
    ConnectedComponents.run(TwinGraphs.graph(data.edges(spark, file))).vertices

  override def summary(lines: Iterator[String]): String = {
    val labels = lines.map(Twin.second(_).toLong).toSeq
    s"${labels.size} vertices in ${labels.distinct.size} components, sum of labels ${labels.sum}"
  }
}

/** `triangle_count.cpp`: three people who vote on one another. */
object TwinTriangles extends Twin {
  override def name = "twin-triangles"
  override def title = "Triangles"
  override def program = "triangle_count"
  override def file = "wiki-Vote.txt"

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val edges = ascending(spark, data).cache()
    val corners = edges.groupByKey().flatMap { case (_, ends) =>
      for { a <- ends.iterator; b <- ends.iterator if a < b } yield ((a, b), ())
    }
    val triangles = edges.map((_, ())).join(corners).count()
    spark.parallelize(Seq(triangles), 1)
  }

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] = {
    val graph = TwinGraphs.graph(ascending(spark, data)).partitionBy(PartitionStrategy.EdgePartition2D)
    spark.parallelize(Seq(TriangleCount.runPreCanonicalized(graph).vertices.map(_._2.toLong).sum().toLong / 3), 1)
  }

  /** Each edge once, from the smaller vertex to the larger. */
  private def ascending(spark: SparkContext, data: Data): RDD[(Int, Int)] =
    data.edges(spark, file).map { case (a, b) => (math.min(a, b), math.max(a, b)) }.filter { case (a, b) => a != b }.distinct()

  override def summary(lines: Iterator[String]): String = s"${lines.next()} triangles"
}

private object TwinGraphs {
  def graph(edges: RDD[(Int, Int)]): Graph[Int, Int] =
    Graph.fromEdges(edges.map { case (from, to) => Edge(from.toLong, to.toLong, 1) }, 1)
}
