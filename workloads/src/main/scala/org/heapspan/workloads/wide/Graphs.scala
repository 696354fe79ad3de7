package org.heapspan.workloads.wide

import org.apache.spark.graphx.lib.{ShortestPaths, TriangleCount}
import org.apache.spark.graphx.{Edge, Graph, PartitionStrategy, TripletFields}

/** GraphX. */
private[wide] object Graphs extends FeatureGroup {
  private val Vertices = 150

  override def features: Seq[Feature] = Seq(
    Feature(
      "page ranks",
      setting => Canonical.ofAll(graph(setting).staticPageRank(4).vertices.mapValues(rank => Canonical.rounded(rank)).collect())
    ),
    Feature("connected components", setting => Canonical.ofAll(graph(setting).connectedComponents().vertices.collect())),
    Feature("triangles", setting => Canonical.ofAll(TriangleCount.run(graph(setting)).vertices.collect())),
    Feature(
      "shortest paths",
      setting => Canonical.ofAll(ShortestPaths.run(graph(setting), Seq(1L, 7L)).vertices.mapValues(_.toSeq.sorted).collect())
    ),
    Feature("messages and joins of vertices", messages)
  )

  private def graph(setting: Setting): Graph[Customer, Line] = {
    val edges = setting.context.parallelize(0 until Vertices * 3, 3).map { number =>
      Edge((number * 17 % Vertices).toLong, (number * number % Vertices).toLong, Line(s"edge $number", number, 1))
    }
    val vertices = setting.context.parallelize(0 until Vertices, 2).map(number => number.toLong -> Order.customer(number))
    Graph(vertices, edges.filter(edge => edge.srcId != edge.dstId)).partitionBy(PartitionStrategy.EdgePartition2D)
  }

  private def messages(setting: Setting): String = {
    val connected = graph(setting).cache()
    val sums = connected.aggregateMessages[(Int, List[String])](
      triplet => {
        triplet.sendToDst((triplet.attr.count, List(triplet.srcAttr.name)))
        triplet.sendToSrc((1, Nil))
      },
      (one, other) => (one._1 + other._1, (one._2 ++ other._2).sorted),
      TripletFields.All
    )
    val joined = connected
      .outerJoinVertices(sums)((_, customer, sum) => customer -> sum)
      .mapTriplets(triplet => triplet.srcAttr._1.country -> triplet.attr)
    val found = joined.vertices.collect() ++ joined.edges.collect() ++ joined.subgraph(triplet => triplet.attr._1 == "DE").edges.collect()
    connected.unpersist(blocking = true)
    Canonical.ofAll(found)
  }
}
