package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._

/** What the jobs of [[CachedLearning]] learn from. Each makes rows of its own kind, at scale 1 about 2.5 GB of them as objects. */
private[workloads] object CachedPoints {
  private val Features = 20
  private val ConnectionCopies = 21
  private val FlightCopies = 3
  private val LineCopies = 11
  private val MadeUpPoints = 10000000L
  private val Vocabulary = 1 << 14
  private val Quotes = Set('"', '\u201c', '\u201d')

  /** A point, and on which side it is. */
  type Labelled = (Double, Vector)

  /** Connections of the KDD Cup, which are mostly zeros and much alike. */
  def connections(spark: SparkContext, data: Data, scale: Double): RDD[Labelled] =
    LabelledPoint
      .copies(spark, data, ConnectionCopies * scale)
      .map(point => ((point.label + 1) / 2, Vectors.dense(point.features)))

  /** Flights by their way, hour and day, and how late they were. */
  def flights(spark: SparkContext, data: Data, scale: Double): RDD[Labelled] = {
    val copies = FlightCopies * scale
    val session = SparkSession.builder().getOrCreate()
    val all = session.read
      .parquet(data.location("flights-3m.parquet"))
      .select(
        col("delay").cast("double"),
        col("distance").cast("double"),
        (hour(col("date")) * 60 + minute(col("date"))).cast("double"),
        dayofyear(col("date")).cast("double")
      )
      .na
      .drop()
    val some = all.repartition(data.partitions).rdd.map { row =>
      (row.getDouble(0) / 60, Vectors.dense(features(row.getDouble(1) / 1000, row.getDouble(2) / 1440, row.getDouble(3) / 366)))
    }
    repeated(some, copies)
  }

  private def features(miles: Double, time: Double, day: Double): Array[Double] = {
    val waves = (1 to 4).flatMap { times =>
      Seq(time, day).flatMap(part => Seq(math.sin(2 * math.Pi * times * part), math.cos(2 * math.Pi * times * part)))
    }
    (waves ++ Seq(miles, miles * miles, math.sqrt(miles), 1.0)).toArray
  }

  /** The lines of novels as words that occur, a few of many: whether somebody speaks. */
  def lines(spark: SparkContext, data: Data, scale: Double): RDD[Labelled] = {
    val some = data.lines(spark, "english-novels-100.txt").filter(_.nonEmpty).map { line =>
      val words = Words.of(line).map { case (word, _) => math.floorMod(word.hashCode, Vocabulary) }
      val counts = words.toSeq.groupMapReduce(identity)(_ => 1.0)(_ + _).toSeq
      (if (line.exists(Quotes.contains(_))) 1.0 else 0.0, Vectors.sparse(Vocabulary, counts))
    }
    repeated(some, LineCopies * scale)
  }

  /** Points that are made up, on two sides of a plane. */
  def sides(spark: SparkContext, data: Data, scale: Double): RDD[Labelled] =
    MadeUp.points(spark, data.partitions, (MadeUpPoints * scale).toLong, Features, 2).map { case (side, features) =>
      (side.toDouble, Vectors.dense(features))
    }

  /** Points that are made up, around as many centers. */
  def around(spark: SparkContext, data: Data, scale: Double, centers: Int): RDD[Vector] =
    MadeUp.points(spark, data.partitions, (MadeUpPoints * scale).toLong, Features, centers).map(point => Vectors.dense(point._2))

  /** All of them so many times, those of a partition one after the other; less than once for a share of them. */
  private def repeated(points: RDD[Labelled], times: Double): RDD[Labelled] = {
    val whole = math.max(1, math.round(times).toInt)
    val share = math.min(1, times)
    points.mapPartitions { each =>
      val some = each.zipWithIndex.filter { case (_, index) => index % 1000 < share * 1000 }.map(_._1).toArray
      Iterator.range(0, whole).flatMap(_ => some.iterator.map { case (label, features) => (label, features.copy) })
    }
  }
}
