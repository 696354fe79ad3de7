package org.heapspan.workloads.wide

import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

/** Cached and checkpointed data. */
private[wide] object StorageLevels extends FeatureGroup {
  private val Count = 2000
  private val levels = Seq(
    "MEMORY_ONLY",
    "MEMORY_ONLY_2",
    "MEMORY_ONLY_SER",
    "MEMORY_ONLY_SER_2",
    "MEMORY_AND_DISK",
    "MEMORY_AND_DISK_2",
    "MEMORY_AND_DISK_SER",
    "MEMORY_AND_DISK_SER_2",
    "DISK_ONLY",
    "DISK_ONLY_2",
    "OFF_HEAP"
  )

  override def features: Seq[Feature] = levels.map(level => Feature(s"cached $level", cached(level))) ++ Seq(
    Feature("cached results of a shuffle", shuffled),
    Feature("cached again and again", again),
    Feature("cached more than memory holds", more),
    Feature("checkpoint on disk", checkpointed),
    Feature("local checkpoint", locallyCheckpointed)
  )

  private def orders(setting: Setting): RDD[Order] = setting.context.parallelize(0 until Count, 4).map(Order.numbered)

  private def cached(level: String)(setting: Setting): String = {
    val kept = orders(setting).persist(StorageLevel.fromString(level))
    try {
      val count = kept.count()
      val first = Canonical.ofAll(kept.collect())
      val second = kept.map(order => order.customer.country -> order.total).reduceByKey(_ + _).collect()
      s"$count, $first, ${Canonical.ofAll(second)}, ${Canonical.ofAll(kept.collect()) == first}, ${kept.getStorageLevel.description}"
    } finally kept.unpersist(blocking = true)
  }

  private def shuffled(setting: Setting): String = {
    val byCustomer = orders(setting).groupBy(_.customer).cache()
    try {
      val totals = byCustomer.mapValues(_.map(_.total).sum)
      val largest = byCustomer.mapValues(_.maxBy(order => (order.total, order.id)).id)
      Canonical.ofAll(totals.join(largest).collect())
    } finally byCustomer.unpersist(blocking = true)
  }

  private def again(setting: Setting): String = {
    var current = orders(setting).map(order => order.id -> 1L).cache()
    current.count()
    for (step <- 1 to 6) {
      val next = current.map { case (id, value) => (id * 3 + step) % 1009 -> value }.reduceByKey(_ + _).cache()
      next.count()
      current.unpersist(blocking = step % 2 == 0)
      current = next
    }
    try Canonical.ofAll(current.collect())
    finally current.unpersist(blocking = true)
  }

  private def more(setting: Setting): String = {
    val blocks = Seq(StorageLevel.MEMORY_ONLY, StorageLevel.MEMORY_AND_DISK).map { level =>
      setting.context.parallelize(0 until 24, 12).map(number => number -> Array.tabulate(1 << 18)(_.toLong * number)).persist(level)
    }
    try Canonical.inOrder(for (_ <- 1 to 2; kept <- blocks) yield kept.map { case (number, block) => number + block.sum }.sum())
    finally blocks.foreach(_.unpersist(blocking = true))
  }

  private def checkpointed(setting: Setting): String = {
    setting.context.setCheckpointDir(setting.path("checkpoints"))
    val kept = orders(setting).keyBy(_.customer.country).groupByKey(3)
    kept.checkpoint()
    val before = kept.mapValues(_.size).collect()
    s"${kept.isCheckpointed}, ${Canonical.ofAll(before)}, ${Canonical.ofAll(kept.flatMap(_._2).collect())}"
  }

  private def locallyCheckpointed(setting: Setting): String = {
    val kept = orders(setting).map(order => order.copy(notes = order.notes + ("checked" -> "yes"))).localCheckpoint()
    val count = kept.count()
    s"$count, ${kept.isCheckpointed}, ${kept.toDebugString.linesIterator.size}, ${Canonical.ofAll(kept.collect())}"
  }
}
