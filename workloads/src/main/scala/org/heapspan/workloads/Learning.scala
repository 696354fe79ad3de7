package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

/** A point in space, on one of two sides. */
case class LabelledPoint(label: Double, features: Array[Double])

/** Points made of the connections of the KDD Cup: what was measured of each, scaled to about 1. */
private[workloads] object LabelledPoint {
  def read(spark: SparkContext, data: Data, scale: Double): RDD[LabelledPoint] = {
    val times = math.max(1, math.round(scale).toInt)
    val connections = Connection.read(spark, data, times)
    val some = if (scale < 1) connections.filter(_.number % 100 < scale * 100) else connections
    some.map { connection =>
      val features =
        Array(math.log1p(connection.duration), math.log1p(connection.sentBytes.toDouble), math.log1p(connection.receivedBytes.toDouble)) ++
          connection.rates
      LabelledPoint(if (connection.label == "normal.") 1 else -1, features)
    }
  }

  /** All points several times over, those of a partition one after the other, so that equal ones are far apart.
    *
    * @param times
    *   how often; less than 1 for a share of them
    */
  def copies(spark: SparkContext, data: Data, times: Double): RDD[LabelledPoint] = {
    val whole = math.max(1, math.round(times).toInt)
    read(spark, data, math.min(1, times)).mapPartitions { points =>
      val all = points.toArray
      Iterator.range(0, whole).flatMap(_ => all.iterator.map(point => point.copy(features = point.features.clone())))
    }
  }

  def dot(a: Array[Double], b: Array[Double]): Double = {
    var sum = 0.0
    var i = 0
    while (i < a.length) {
      sum += a(i) * b(i)
      i += 1
    }
    sum
  }

  def sum(a: Array[Double], b: Array[Double]): Array[Double] = Array.tabulate(a.length)(i => a(i) + b(i))
}

/** Logistic regression over points that are cached in serialized form: each pass reads them all. */
object LogisticRegression extends Workload {
  private val Passes = 8

  override def name = "logistic-regression"
  override def title = "Logistic regression, cached serialized"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val points = LabelledPoint.read(spark, data, scale).persist(StorageLevel.MEMORY_ONLY_SER)
    val count = points.count()
    var weights = Array.fill(points.first().features.length)(0.0)
    for (_ <- 1 to Passes) {
      val current = weights
      val gradient = points
        .map { point =>
          val factor = (1 / (1 + math.exp(-point.label * LabelledPoint.dot(current, point.features))) - 1) * point.label
          point.features.map(_ * factor)
        }
        .treeReduce(LabelledPoint.sum)
      weights = Array.tabulate(weights.length)(i => weights(i) - gradient(i) / count)
    }
    points.unpersist()
    s"$count points, length ${Workload.rounded(math.sqrt(LabelledPoint.dot(weights, weights)))}"
  }
}

/** k-means over points that are cached in serialized form. */
object KMeans extends Workload {
  private val Clusters = 8
  private val Passes = 5

  override def name = "k-means"
  override def title = "k-means, cached serialized"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val points = LabelledPoint.read(spark, data, scale).map(_.features).persist(StorageLevel.MEMORY_ONLY_SER)
    val count = points.count()
    var centers = points.take(Clusters * 1000).grouped(1000).map(_.head).toArray
    for (_ <- 1 to Passes) {
      val current = centers
      val sums = points
        .map(point => (nearest(current, point), (point, 1L)))
        .reduceByKey((a, b) => (LabelledPoint.sum(a._1, b._1), a._2 + b._2))
        .collectAsMap()
      centers = Array.tabulate(centers.length)(i => sums.get(i).fold(current(i)) { case (sum, size) => sum.map(_ / size) })
    }
    points.unpersist()
    s"$count points, centers ${Workload.rounded(centers.map(center => LabelledPoint.dot(center, center)).sum)}"
  }

  private def nearest(centers: Array[Array[Double]], point: Array[Double]): Int = {
    var best = 0
    var shortest = Double.MaxValue
    var i = 0
    while (i < centers.length) {
      val center = centers(i)
      var distance = 0.0
      var j = 0
      while (j < point.length) {
        val difference = point(j) - center(j)
        distance += difference * difference
        j += 1
      }
      if (distance < shortest) {
        best = i
        shortest = distance
      }
      i += 1
    }
    best
  }
}
