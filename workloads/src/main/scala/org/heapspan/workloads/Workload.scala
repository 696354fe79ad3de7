package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.storage.StorageLevel

/** A job as users write it: it knows of Spark and of its data, of no serializer and of nothing else. */
trait Workload {

  /** What one types to choose it. */
  def name: String

  /** What a stranger reads in a table. */
  def title: String

  /** Into how many partitions its input is divided. */
  def partitions: Int = 8

  /** Runs the job once and waits for its result.
    *
    * @param data
    *   where the input lies
    * @param scale
    *   how much of it, 1 for the size that the comparison uses
    * @return
    *   the result in short: equal, whatever carried the objects, if the job did the same. Sums of floating-point numbers are rounded, since
    *   their order changes from run to run
    */
  def run(spark: SparkContext, data: Data, scale: Double): String

  /** What the heaps of all executors hold after a garbage collection, at the end of the last run; 0 if that is of no interest. */
  def heapBytes(spark: SparkContext): Long = 0
}

/** A job over data that it caches and reads again and again. */
trait CachingWorkload extends Workload {
  override def partitions: Int = 32

  /** Runs the job once and waits for its result.
    *
    * @param level
    *   at which it caches
    */
  def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String

  final override def run(spark: SparkContext, data: Data, scale: Double): String = run(spark, data, scale, StorageLevel.MEMORY_ONLY)
}

object Workload {

  /** Those by which serializers are compared, in the order of the report. */
  val all: Seq[Workload] = Seq(
    GroupAndJoin,
    GroupEdges,
    InvertedIndex,
    SortRecords,
    TransitiveClosure,
    GraphWorkloads.TrianglesTwitter,
    GraphWorkloads.ComponentsWeb,
    GraphWorkloads.RanksWeb,
    PlainRanks,
    WordCount,
    KMeans,
    LogisticRegression,
    TableOnly
  )

  /** Those whose keys are strings that come again in each iteration. */
  val keyed: Seq[Workload] = Seq(RanksByUrl)

  /** Those by which storage levels are compared. */
  val caching: Seq[CachingWorkload] = CachedLearning.all ++ CachedGraphs.all :+ CachedFlights

  /** Those that there are as native programs too. */
  val twins: Seq[Twin] = Seq(TwinWords, TwinRanks, TwinComponents, TwinTriangles, TwinClusters, TwinPlane, TwinSort)

  /** The workload of a name. */
  def named(name: String): Workload = {
    val known = all ++ keyed ++ caching ++ twins
    known
      .find(_.name == name)
      .getOrElse(throw new IllegalArgumentException(s"no workload '$name'; there are: ${known.map(_.name).mkString(", ")}"))
  }

  /** As many digits of a floating-point result as do not depend on the order of additions. */
  private[workloads] def rounded(value: Double): String = "%.6e".formatLocal(java.util.Locale.ROOT, value)
}
