package org.heapspan.workloads.wide

import org.apache.spark.rdd.RDD

import scala.collection.mutable

/** Records of one key brought together. */
private[wide] object Combining extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("groupByKey", setting => Canonical.ofAll(pairs(setting).groupByKey(3).mapValues(_.toSeq.sortBy(_.id)).collect())),
    Feature("reduceByKey of objects", reduced),
    Feature("aggregateByKey with sets that change", aggregated),
    Feature("combineByKey with buffers", combined),
    Feature("foldByKey", setting => Canonical.ofAll(pairs(setting).mapValues(_.total).foldByKey(1L, 4)(_ + _).collect())),
    Feature("reduceByKeyLocally and countByKey", locally),
    Feature("words counted", words),
    Feature("many reducers", manyReducers)
  )

  private def pairs(setting: Setting): RDD[(Customer, Order)] =
    setting.context.parallelize(0 until 3000, 4).map(Order.numbered).keyBy(_.customer)

  private def reduced(setting: Setting): String = {
    val worth = (order: Order) => (order.total + order.id % 89, order.id)
    Canonical.ofAll(
      pairs(setting)
        .reduceByKey((one, other) => if (scala.math.Ordering[(Long, Long)].gt(worth(one), worth(other))) one else other)
        .collect()
    )
  }

  private def aggregated(setting: Setting): String = {
    val articles = pairs(setting).aggregateByKey(mutable.HashSet.empty[String])(
      (known, order) => known ++= order.lines.map(_.article),
      (one, other) => one ++= other
    )
    Canonical.ofAll(articles.mapValues(_.toSeq.sorted).collect())
  }

  private final class Longest(val lines: mutable.ArrayBuffer[Line], var orders: Int) extends Serializable

  private def combined(setting: Setting): String = {
    val longest = pairs(setting).combineByKey[Longest](
      (order: Order) => new Longest(mutable.ArrayBuffer.from(order.lines), 1),
      (longest: Longest, order: Order) => {
        longest.lines ++= order.lines
        longest.orders += 1
        longest
      },
      (one: Longest, other: Longest) => {
        one.lines ++= other.lines
        one.orders += other.orders
        one
      }
    )
    Canonical.ofAll(longest.mapValues(found => (found.orders, found.lines.map(_.cents).sum, found.lines.size)).collect())
  }

  private def locally(setting: Setting): String = {
    val byCountry = pairs(setting).map { case (customer, order) => customer.country -> order.total }
    Canonical.ofAll(Seq[Any](byCountry.reduceByKeyLocally(_ + _).toMap, byCountry.countByKey().toMap))
  }

  private def words(setting: Setting): String = {
    val text = setting.context.parallelize(0 until 2000, 5).map(number => s"word${number % 97} word${number % 13} of ${number % 7}")
    Canonical.ofAll(text.flatMap(_.split(' ')).map(_ -> 1).reduceByKey(_ + _).collect())
  }

  private def manyReducers(setting: Setting): String =
    Canonical.ofAll(
      pairs(setting)
        .map { case (customer, order) => (customer, order.id % 11) -> order }
        .groupByKey(60)
        .mapValues(_.map(_.total).sum)
        .collect()
    )
}
