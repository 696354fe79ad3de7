package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.mllib.clustering.{KMeans => LibraryKMeans, KMeansModel}
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.mllib.optimization.{GradientDescent, LogisticGradient, Updater}
import org.apache.spark.rdd.RDD

/** `kmeans.cpp`: clusters of points in space. */
object TwinClusters extends Twin {
  private val Clusters = 8
  private val Iterations = 10

  override def name = "twin-clusters"
  override def title = s"k-means, $Iterations iterations"
  override def program = "kmeans"
  override def file = "points-in-space.txt"
  override def arguments = Seq(Clusters.toString, Iterations.toString)

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val points = TwinLearning.vectors(data.lines(spark, file)).cache()
    var centers = points.take(Clusters)
    for (_ <- 1 to Iterations) {
      val current = centers
      val clusters = points
        .map(point => (nearest(current, point), (point, 1L)))
        .reduceByKey((a, b) => (LabelledPoint.sum(a._1, b._1), a._2 + b._2))
        .collectAsMap()
      centers = Array.tabulate(Clusters)(i => clusters.get(i).fold(current(i)) { case (sum, size) => sum.map(_ / size) })
    }
    written(spark, centers)
  }

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] = {
    val points = TwinLearning.vectors(data.lines(spark, file)).map(Vectors.dense).cache()
    val model = new LibraryKMeans()
      .setK(Clusters)
      .setMaxIterations(Iterations)
      .setEpsilon(0)
      .setInitialModel(new KMeansModel(points.take(Clusters)))
      .run(points)
    written(spark, model.clusterCenters.map(_.toArray))
  }

  private def written(spark: SparkContext, centers: Array[Array[Double]]): RDD[(Int, String)] =
    spark.parallelize(centers.toSeq.zipWithIndex.map { case (center, i) => (i, center.mkString("[", ",", "]")) }, 1)

  private def nearest(centers: Array[Array[Double]], point: Array[Double]): Int = {
    var best = 0
    var shortest = Double.MaxValue
    var i = 0
    while (i < centers.length) {
      var distance = 0.0
      var d = 0
      while (d < point.length) {
        val difference = point(d) - centers(i)(d)
        distance += difference * difference
        d += 1
      }
      if (distance < shortest) {
        best = i
        shortest = distance
      }
      i += 1
    }
    best
  }

  override def summary(lines: Iterator[String]): String =
    lines
      .map(line => Twin.numbers(line))
      .toSeq
      .sortBy(_.head)
      .map(_.tail.map(x => "%.3f".formatLocal(java.util.Locale.ROOT, x)).mkString(" "))
      .mkString("; ")
}

/** `logistic_regression.cpp`: a plane between two classes of points. */
object TwinPlane extends Twin {
  private val Iterations = 10

  override def name = "twin-plane"
  override def title = s"Logistic regression, $Iterations iterations"
  override def program = "logistic_regression"
  override def file = "points-of-two-classes.txt"
  override def arguments = Seq(Iterations.toString)

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val points = labelled(spark, data).cache()
    var weights = new Array[Double](points.first().features.length)
    for (_ <- 1 to Iterations) {
      val current = weights
      val gradient = points
        .map { point =>
          val factor = (1 / (1 + math.exp(-point.label * LabelledPoint.dot(current, point.features))) - 1) * point.label
          point.features.map(_ * factor)
        }
        .reduce(LabelledPoint.sum)
      weights = Array.tabulate(weights.length)(i => weights(i) - gradient(i))
    }
    spark.parallelize(weights.toSeq, 1)
  }

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] = {
    // MLlib calls the classes 1 and 0, and divides the gradient by the number of points.
    val points = labelled(spark, data).map(point => ((point.label + 1) / 2, Vectors.dense(point.features))).cache()
    val dimensions = points.first()._2.size
    val (weights, _) = GradientDescent.runMiniBatchSGD(
      points,
      new LogisticGradient,
      TwinLearning.WholeStep,
      points.count().toDouble,
      Iterations,
      0,
      1,
      Vectors.zeros(dimensions),
      0
    )
    spark.parallelize(weights.toArray.toSeq, 1)
  }

  private def labelled(spark: SparkContext, data: Data): RDD[LabelledPoint] =
    TwinLearning.vectors(data.lines(spark, file)).map(numbers => LabelledPoint(numbers.head, numbers.tail))

  override def summary(lines: Iterator[String]): String =
    lines.map(line => "%.2e".formatLocal(java.util.Locale.ROOT, line.toDouble)).mkString(" ")
}

private object TwinLearning {
  def vectors(lines: RDD[String]): RDD[Array[Double]] = lines.map(_.split(' ').map(_.toDouble))

  /** Goes as far as the gradient says, in all iterations. */
  object WholeStep extends Updater {
    override def compute(old: Vector, gradient: Vector, stepSize: Double, iteration: Int, regularization: Double): (Vector, Double) =
      (Vectors.dense(Array.tabulate(old.size)(i => old(i) - stepSize * gradient(i))), 0)
  }
}
