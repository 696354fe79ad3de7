package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.mllib.classification.NaiveBayes
import org.apache.spark.mllib.clustering.{KMeans => Clustering, KMeansModel}
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.mllib.optimization._
import org.apache.spark.mllib.regression.LabeledPoint
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

/** Jobs of MLlib, Spark's library for learning, over points that are cached: each pass reads them all. */
private[workloads] object CachedLearning {
  private val Passes = 8
  private val StepSize = 0.01
  private val NeverEarly = 0.0

  val all: Seq[CachingWorkload] = Seq(
    new Descent("cached-logistic", "Logistic regression of connections", new LogisticGradient(), CachedPoints.connections),
    new Descent("cached-linear", "Linear regression of flights", new LeastSquaresGradient(), CachedPoints.flights),
    new Descent("cached-svm", "Support vector machine (points made up)", new HingeGradient(), CachedPoints.sides),
    Clusters,
    Bayes
  )

  /** A model that is found by going down a slope: it tells the label of a point. */
  private final class Descent(
      override val name: String,
      override val title: String,
      gradient: Gradient,
      read: (SparkContext, Data, Double) => RDD[CachedPoints.Labelled]
  ) extends CachingWorkload {
    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val points = read(spark, data, scale).persist(level)
      val features = points.first()._2.size
      val (weights, losses) = GradientDescent.runMiniBatchSGD(
        points,
        gradient,
        new SquaredL2Updater(),
        StepSize,
        Passes,
        0.01,
        1.0,
        Vectors.zeros(features),
        NeverEarly
      )
      points.unpersist()
      s"length ${Workload.rounded(Vectors.norm(weights, 2))}, loss ${Workload.rounded(losses.last)} after ${losses.length} passes"
    }
  }

  private object Clusters extends CachingWorkload {
    private val Number = 8

    override def name = "cached-k-means"
    override def title = "k-means (points made up)"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val points: RDD[Vector] = CachedPoints.around(spark, data, scale, Number).persist(level)
      val some = points.take(Number * 1000).grouped(1000).map(_.head).toArray
      val model = new Clustering()
        .setK(some.length)
        .setMaxIterations(Passes)
        .setEpsilon(0)
        .setInitialModel(new KMeansModel(some))
        .run(points)
      val lengths = model.clusterCenters.map(center => Vectors.norm(center, 2)).sum
      points.unpersist()
      s"${model.k} centers, lengths ${Workload.rounded(lengths)}"
    }
  }

  /** How often each word is on each side, and for how many lines that tells the side. */
  private object Bayes extends CachingWorkload {
    override def name = "cached-bayes"
    override def title = "Naive Bayes of lines of novels"

    override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
      val points = CachedPoints
        .lines(spark, data, scale)
        .map { case (label, words) => LabeledPoint(label, words) }
        .persist(level)
      val sides = points.map(_.label).countByValue()
      val model = NaiveBayes.train(points)
      val right = points.filter(point => model.predict(point.features) == point.label).count()
      points.unpersist()
      s"${sides.size} sides, told of $right lines of ${sides.values.sum}"
    }
  }
}
