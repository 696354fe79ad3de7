package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

import java.util.SplittableRandom

/** Data by random numbers, the same each time: nothing of it is equal or zero, so that compression gains nothing, as with what Spark-Bench
  * makes for TeraHeap.
  */
private[workloads] object MadeUp {
  private val Seed = 20231L
  private val Parts = 50

  /** So many points around as many centers as are wanted, one after the other; which center, and where a point is. */
  def points(spark: SparkContext, partitions: Int, number: Long, features: Int, centers: Int): RDD[(Int, Array[Double])] =
    randomly(spark, partitions, number) { (random, index) =>
      val center = (index % centers).toInt
      // Half of the features say to which center a point belongs, each in a way of its own.
      (center, Array.tabulate(features)(i => random.nextGaussian() + (if ((i + center) % centers < centers / 2) 1 else -1)))
    }

  /** So many edges among so many vertices, in parts that do not touch: few vertices of a part have most of its edges, as people or pages
    * do.
    */
  def edges(spark: SparkContext, partitions: Int, number: Long, vertices: Int): RDD[(Int, Int)] = {
    val ofPart = math.max(2, vertices / Parts)
    randomly(spark, partitions, number) { (random, index) =>
      val first = (index % Parts).toInt * ofPart
      val place = random.nextDouble()
      (first + (place * place * place * ofPart).toInt, first + random.nextInt(ofPart))
    }
  }

  private def randomly[T: scala.reflect.ClassTag](spark: SparkContext, partitions: Int, number: Long)(
      make: (SplittableRandom, Long) => T
  ): RDD[T] =
    spark.parallelize(0 until partitions, partitions).flatMap { partition =>
      val random = new SplittableRandom(Seed + partition)
      Iterator.range(0, ((number + partition) / partitions).toInt).map(index => make(random, index.toLong))
    }
}
