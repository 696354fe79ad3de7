package org.heapspan.workloads.wide

import org.apache.spark.util.AccumulatorV2

import scala.collection.mutable

/** Broadcasts and accumulators. */
private[wide] object SharedVariables extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("broadcast of a map", ofMap),
    Feature("large broadcast", large),
    Feature("broadcast destroyed and made again", destroyed),
    Feature("broadcast keeps what is shared within it", shared),
    Feature("accumulators of numbers", numbers),
    Feature("accumulator of a collection", collection),
    Feature("accumulator of its own class", own)
  )

  private def ofMap(setting: Setting): String = {
    val customers = setting.context.broadcast((0 until 500).map(number => number -> Order.customer(number)).toMap)
    val tree =
      setting.context.broadcast(new java.util.TreeMap[String, Customer](java.util.Map.of("a", Order.customer(1), "b", Order.customer(2))))
    Canonical.ofAll(
      setting.context.parallelize(0 until 600, 4).map(number => customers.value.get(number) -> tree.value.firstEntry.getValue).collect()
    )
  }

  private def large(setting: Setting): String = {
    val array = setting.context.broadcast(Array.tabulate(1_500_000)(_.toLong * 3))
    Canonical.ofAll(setting.context.parallelize(0 until 8, 4).map(number => array.value(number * 100_000) -> array.value.length).collect())
  }

  private def destroyed(setting: Setting): String = {
    val found = for (round <- 1 to 3) yield {
      val broadcast = setting.context.broadcast(Order.numbered(round))
      val values = setting.context.parallelize(0 until 4, 4).map(number => broadcast.value.id + number).collect()
      broadcast.unpersist(blocking = true)
      val again = setting.context.parallelize(0 until 4, 2).map(number => broadcast.value.id + number).collect()
      broadcast.destroy()
      (values, again, scala.util.Try(broadcast.value).isFailure)
    }
    Canonical.inOrder(found)
  }

  private def shared(setting: Setting): String = {
    val customer = Order.customer(7)
    val broadcast =
      setting.context.broadcast((customer, List(customer, customer), new java.util.IdentityHashMap(java.util.Map.of(customer, "known"))))
    val found = setting.context.parallelize(0 until 4, 4).map { _ =>
      val (one, list, known) = broadcast.value
      (one eq list.head, list.head eq list(1), known.get(one))
    }
    Canonical.ofAll(found.collect())
  }

  private def numbers(setting: Setting): String = {
    val long = setting.context.longAccumulator("totals")
    val double = setting.context.doubleAccumulator("weights")
    setting.context.parallelize(0 until 1000, 4).map(Order.numbered).foreach { order =>
      long.add(order.total)
      double.add(order.weights.length.toDouble)
    }
    Canonical.inOrder(Seq[Any](long.value, long.count, double.sum, double.avg))
  }

  private def collection(setting: Setting): String = {
    val found = setting.context.collectionAccumulator[Customer]("customers")
    setting.context.parallelize(0 until 100, 4).map(Order.numbered).foreach(order => if (order.total > 300) found.add(order.customer))
    Canonical.ofAll(found.value.toArray)
  }

  private final class Articles extends AccumulatorV2[Line, Map[String, Int]] {
    private val counts = mutable.HashMap.empty[String, Int]

    override def isZero: Boolean = counts.isEmpty

    override def copy(): Articles = {
      val copied = new Articles
      copied.counts ++= counts
      copied
    }

    override def reset(): Unit = counts.clear()

    override def add(line: Line): Unit = counts(line.article) = counts.getOrElse(line.article, 0) + line.count

    override def merge(other: AccumulatorV2[Line, Map[String, Int]]): Unit =
      other.value.foreach { case (article, count) => counts(article) = counts.getOrElse(article, 0) + count }

    override def value: Map[String, Int] = counts.toMap
  }

  private def own(setting: Setting): String = {
    val articles = new Articles
    setting.context.register(articles, "articles")
    setting.context.parallelize(0 until 1000, 4).map(Order.numbered).foreach(_.lines.foreach(articles.add))
    Canonical.ofAll(articles.value)
  }
}
