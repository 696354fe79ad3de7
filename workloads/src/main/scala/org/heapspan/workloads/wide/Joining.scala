package org.heapspan.workloads.wide

import org.apache.spark.rdd.RDD

/** Records of several RDDs brought together. */
private[wide] object Joining extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("join", setting => Canonical.ofAll(orders(setting).join(customers(setting)).values.collect())),
    Feature("leftOuterJoin", setting => Canonical.ofAll(orders(setting).leftOuterJoin(customers(setting), 3).values.collect())),
    Feature("rightOuterJoin and fullOuterJoin", outer),
    Feature("cogroup of three", cogrouped),
    Feature("subtract, intersection, union, distinct", sets),
    Feature("subtractByKey", setting => Canonical.ofAll(orders(setting).subtractByKey(customers(setting)).values.collect())),
    Feature(
      "cartesian",
      setting => Canonical.ofAll(customers(setting).cartesian(setting.context.parallelize(Seq(None, Some(1)), 2)).collect())
    ),
    Feature("joined without a shuffle", copartitioned)
  )

  private def orders(setting: Setting): RDD[(Int, Order)] =
    setting.context.parallelize(0 until 500, 4).map(number => number % 37 -> Order.numbered(number))

  private def customers(setting: Setting): RDD[(Int, Customer)] =
    setting.context.parallelize(20 until 60, 2).map(number => number -> Order.customer(number))

  private def outer(setting: Setting): String = {
    val totals = orders(setting).mapValues(_.total)
    Canonical.ofAll(totals.rightOuterJoin(customers(setting)).collect(), totals.fullOuterJoin(customers(setting)).collect())
  }

  private def cogrouped(setting: Setting): String = {
    val numbers = setting.context.parallelize(0 until 100, 3).map(number => number % 41 -> BigInt(number).pow(20))
    val groups = orders(setting).cogroup(customers(setting), numbers)
    Canonical.ofAll(
      groups
        .mapValues { case (orders, customers, numbers) => (orders.map(_.id).toSeq.sorted, customers.toSeq, numbers.toSeq.sorted) }
        .collect()
    )
  }

  private def sets(setting: Setting): String = {
    val some = setting.context.parallelize(0 until 300, 3).map(number => Order.numbered(number % 200).customer -> number % 7)
    val others = setting.context.parallelize(100 until 250, 2).map(number => Order.numbered(number).customer -> number % 5)
    Canonical.inOrder(
      Seq(some.subtract(others), some.intersection(others), some.union(others).distinct()).map(set => Canonical.ofAll(set.collect()))
    )
  }

  private def copartitioned(setting: Setting): String = {
    val one = orders(setting).partitionBy(new org.apache.spark.HashPartitioner(3)).cache()
    val other = customers(setting).partitionBy(one.partitioner.get)
    try Canonical.ofAll(one.join(other).mapValues { case (order, customer) => order.id -> customer }.collect(), one.lookup(21).map(_.id))
    finally one.unpersist(blocking = true)
  }
}
