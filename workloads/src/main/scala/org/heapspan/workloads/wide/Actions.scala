package org.heapspan.workloads.wide

import org.apache.spark.rdd.RDD

/** What a program can ask of an RDD. */
private[wide] object Actions extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("zipWithIndex, zip, zipPartitions", zipped),
    Feature("glom", setting => Canonical.inOrder(orders(setting).glom().collect().map(_.map(_.id).toSeq))),
    Feature("sample, takeSample, randomSplit", sampled),
    Feature("treeAggregate and treeReduce", trees),
    Feature("fold, aggregate, reduce", folded),
    Feature("pipe", setting => Canonical.ofAll(orders(setting).map(_.customer.name).pipe(Seq("sort", "-u")).collect())),
    Feature("countApproxDistinct, countByValue, histogram, stats", counted),
    Feature("files of objects", objectFiles),
    Feature("text files", textFiles),
    Feature("toLocalIterator", setting => Canonical.inOrder(orders(setting).toLocalIterator.map(_.customer))),
    Feature("results larger than messages", largeResults),
    Feature("take, first, isEmpty, foreachPartition", taken),
    Feature("jobs in the background", background)
  )

  private def orders(setting: Setting): RDD[Order] = setting.context.parallelize(0 until 400, 5).map(Order.numbered)

  private def zipped(setting: Setting): String = {
    val some = orders(setting)
    val parts = some.zipPartitions(some.map(_.customer))((one, other) => Iterator(one.size -> other.toSet.size))
    Canonical.ofAll(
      some.zipWithIndex().collect(),
      some.zip(some.map(_.total)).collect(),
      some.zipWithUniqueId().values.collect(),
      parts.collect()
    )
  }

  private def sampled(setting: Setting): String = {
    val some = orders(setting)
    val byKey =
      some.keyBy(_.customer.country).sampleByKey(withReplacement = false, Map("DE" -> 0.5, "FR" -> 0.1, "IT" -> 0.0, "PL" -> 1.0), 45)
    val samples = Seq(
      some.sample(withReplacement = false, 0.2, 42).collect(),
      some.sample(withReplacement = true, 0.2, 43).collect(),
      some.takeSample(withReplacement = false, 9, 44),
      byKey.values.collect()
    ) ++ some.randomSplit(Array(0.3, 0.7), 11).map(_.collect())
    Canonical.inOrder(samples.map(_.map(_.id).toSeq))
  }

  private def trees(setting: Setting): String = {
    val longest = orders(setting).map(order => Vector(order.customer)).treeReduce((one, other) => (one ++ other).distinct.sortBy(_.name), 3)
    val counts = orders(setting).treeAggregate(Map.empty[String, Int])(
      (known, order) => known.updatedWith(order.customer.country)(count => Some(count.getOrElse(0) + 1)),
      (one, other) => other.foldLeft(one) { case (known, (country, count)) => known.updated(country, known.getOrElse(country, 0) + count) },
      3
    )
    Canonical.inOrder(Seq[Any](longest, counts))
  }

  private def folded(setting: Setting): String = {
    val lines = orders(setting).map(_.lines)
    val all = lines.fold(Nil)((one, other) => (one ++ other).sortBy(line => (line.article, line.count, line.cents)).take(50))
    val sums = lines.aggregate(new Array[Long](4))(
      (sums, lines) => { lines.foreach(line => sums(line.count) += line.cents); sums },
      (one, other) => one.zip(other).map { case (a, b) => a + b }
    )
    Canonical.inOrder(Seq[Any](all, sums, orders(setting).map(order => BigDecimal(order.total)).reduce(_ + _)))
  }

  private def counted(setting: Setting): String = {
    val some = orders(setting)
    val distinct = some.map(_.customer).countApproxDistinct(0.05)
    val byKey = some.map(order => order.customer.country -> order.id).countApproxDistinctByKey(0.1).collect().toMap
    val (bounds, counts) = some.map(_.total.toDouble).histogram(4)
    val stats = some.map(_.total.toDouble).stats()
    Canonical.inOrder(
      Seq[Any](
        distinct,
        byKey,
        some.map(_.customer.country).countByValue().toMap,
        bounds,
        counts,
        stats.count,
        stats.max,
        Canonical.rounded(stats.stdev)
      )
    )
  }

  private def objectFiles(setting: Setting): String = {
    val path = setting.path("objects")
    orders(setting).saveAsObjectFile(path)
    Canonical.ofAll(setting.context.objectFile[Order](path).collect())
  }

  private def textFiles(setting: Setting): String = {
    val path = setting.path("text")
    orders(setting).map(_.toString).saveAsTextFile(path)
    Canonical.ofAll(setting.context.textFile(path).collect(), setting.context.wholeTextFiles(path, 3).values.collect())
  }

  private def largeResults(setting: Setting): String =
    Canonical.ofAll(setting.context.parallelize(1 to 3, 3).map(number => number -> Array.tabulate(400_000)(_.toLong * number)).collect())

  private def taken(setting: Setting): String = {
    val some = orders(setting)
    val seen = setting.context.longAccumulator
    some.foreachPartition(records => seen.add(records.map(_.total).sum))
    Canonical.inOrder(Seq[Any](some.take(3), some.first(), some.filter(_.id < 0).isEmpty(), seen.value))
  }

  private def background(setting: Setting): String = {
    val jobs = for (number <- 1 to 4) yield orders(setting).map(order => order.customer -> number).distinct().collectAsync()
    Canonical.ofAll(jobs.map(job => Canonical.ofAll(job.get())))
  }
}
