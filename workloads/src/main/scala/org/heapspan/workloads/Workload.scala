package org.heapspan.workloads

import org.apache.spark.SparkContext

/** A job as users write it: it knows of Spark and of its data, of no serializer and of nothing else. */
trait Workload {

  /** What one types to choose it. */
  def name: String

  /** What a stranger reads in a table. */
  def title: String

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
}

object Workload {

  /** All workloads, in the order of the report. */
  val all: Seq[Workload] = Seq(
    GroupAndJoin,
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

  /** The workload of a name. */
  def named(name: String): Workload = all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"no workload '$name'; there are: ${all.map(_.name).mkString(", ")}"))

  /** As many digits of a floating-point result as do not depend on the order of additions. */
  private[workloads] def rounded(value: Double): String = "%.6e".formatLocal(java.util.Locale.ROOT, value)
}
