package org.heapspan.workloads

import org.apache.spark.SparkContext

/** An edge as an application keeps it: two users, and what is known of the one who follows the other. */
case class Follow(
    follower: Long,
    followed: Long,
    sinceMillis: Long,
    weight: Double,
    messages: Int,
    isMutual: Boolean,
    kind: String,
    place: Place,
    tags: Array[Int]
)

/** Where it came about. */
case class Place(country: String, latitude: Float, longitude: Float)

/** Edges between users grouped by the one who follows, and joined to what the groups say of the one who is followed. */
object GroupEdges extends Workload {
  private val Kinds = IndexedSeq("friend", "colleague", "family", "news", "music", "sports")
  private val Countries = IndexedSeq("AR", "BR", "CA", "DE", "FR", "IN", "JP", "NG", "US", "ZA")

  override def name = "group-edges"
  override def title = "Group and join of edges among Twitter users"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val pairs = GraphWorkloads.edgesAmong(data.edges(spark, "ego-Twitter-undirected.txt"), scale)
    val follows = pairs.map { case (from, to) => follow(from, to) }
    val byFollower = follows.map(each => (each.follower, each)).groupByKey(data.partitions)
    val activity = byFollower.mapValues(all => (all.size, all.iterator.map(_.messages).sum))
    val joined = follows.map(each => (each.followed, each)).join(activity, data.partitions)
    val (edges, followed, messages) = joined
      .map { case (_, (each, (follows, messages))) => (1L, follows.toLong, messages.toLong + each.tags.length) }
      .treeReduce((a, b) => (a._1 + b._1, a._2 + b._2, a._3 + b._3))
    s"$edges joined, $followed followed, $messages messages"
  }

  private def follow(from: Int, to: Int): Follow = {
    val mixed = from * 31 + to
    Follow(
      follower = from,
      followed = to,
      sinceMillis = 1300000000000L + mixed,
      weight = 1.0 / (1 + math.abs(mixed % 100)),
      messages = math.abs(mixed % 50),
      isMutual = (mixed & 1) == 0,
      kind = Kinds(math.abs(mixed % Kinds.size)),
      place = Place(Countries(math.abs(to % Countries.size)), (from % 180) - 90f, (to % 360) - 180f),
      tags = Array(from % 7, to % 11)
    )
  }
}
