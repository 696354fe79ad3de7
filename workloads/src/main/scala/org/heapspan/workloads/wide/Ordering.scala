package org.heapspan.workloads.wide

import org.apache.spark.Partitioner

/** Sorted records, and records in partitions that the program chooses. */
private[wide] object Ordering extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature(
      "sortByKey",
      setting =>
        Canonical.inOrder(
          numbered(setting)
            .map(order => order.total -> order.id)
            .map { case (total, id) => (total * 1_000_000 + id) -> id }
            .sortByKey(ascending = false, 3)
            .collect()
        )
    ),
    Feature("sortBy with an ordering of its own", sorted),
    Feature("repartitionAndSortWithinPartitions", withinPartitions),
    Feature("a partitioner of its own", partitioned),
    Feature("top, takeOrdered, max, min", extremes),
    Feature("coalesce and repartition", redistributed)
  )

  private def numbered(setting: Setting) = setting.context.parallelize(0 until 1500, 4).map(Order.numbered)

  private object ByCountryThenWeight extends scala.math.Ordering[Order] {
    override def compare(one: Order, other: Order): Int = {
      val byCountry = other.customer.country.compareTo(one.customer.country)
      val byWeight = if (byCountry != 0) byCountry else java.lang.Double.compare(one.weights.sum, other.weights.sum)
      if (byWeight != 0) byWeight else java.lang.Long.compare(one.id, other.id)
    }
  }

  private final class ByCountry(countries: Map[String, Int]) extends Partitioner {
    override def numPartitions: Int = countries.size

    override def getPartition(key: Any): Int = key match {
      case Customer(_, country) => countries(country)
      case _                    => 0
    }
  }

  private def sorted(setting: Setting): String =
    Canonical.inOrder(numbered(setting).sortBy(identity, ascending = true, 3)(ByCountryThenWeight, implicitly).collect().map(_.id))

  private def withinPartitions(setting: Setting): String = {
    implicit val byName: scala.math.Ordering[Customer] = scala.math.Ordering.by((customer: Customer) => customer.name)
    val pairs = numbered(setting).map(order => order.customer -> order.total)
    val keys = pairs.repartitionAndSortWithinPartitions(new ByCountry(Map("DE" -> 0, "FR" -> 1, "IT" -> 2, "PL" -> 3)))
    Canonical.inOrder(keys.glom().collect().map(partition => (partition.map(_._1.name).toSeq, partition.map(_._2).sum)))
  }

  private def partitioned(setting: Setting): String = {
    val pairs = numbered(setting).keyBy(_.customer).partitionBy(new ByCountry(Map("DE" -> 3, "FR" -> 2, "IT" -> 1, "PL" -> 0)))
    Canonical.inOrder(pairs.mapPartitionsWithIndex((index, records) => Iterator(index -> records.map(_._2.id).sum)).collect())
  }

  private def extremes(setting: Setting): String = {
    val orders = numbered(setting)
    val highest = orders.top(5)(ByCountryThenWeight) ++ orders.takeOrdered(5)(ByCountryThenWeight)
    Canonical.inOrder(highest :+ orders.max()(ByCountryThenWeight) :+ orders.min()(ByCountryThenWeight))
  }

  private def redistributed(setting: Setting): String = {
    val orders = numbered(setting)
    Canonical.inOrder(
      Seq(orders.coalesce(2), orders.coalesce(6, shuffle = true), orders.repartition(7)).map(each =>
        each.getNumPartitions -> Canonical.ofAll(each.collect())
      )
    )
  }
}
