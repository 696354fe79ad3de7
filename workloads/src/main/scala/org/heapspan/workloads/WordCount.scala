package org.heapspan.workloads

import org.apache.spark.SparkContext

/** How often each word stands in the novels: strings and numbers, summed before they travel. */
object WordCount extends Workload {
  override def name = "word-count"
  override def title = "Word count"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val lines = data.lines(spark, "english-novels-100.txt")
    val some = if (scale < 1) lines.zipWithIndex().filter(_._2 % 100 < scale * 100).map(_._1) else lines
    val counts = some.flatMap(line => Words.of(line).map { case (word, _) => (word, 1L) }).reduceByKey(_ + _, data.partitions)
    val (words, total) = counts.map(count => (1L, count._2)).treeReduce((a, b) => (a._1 + b._1, a._2 + b._2))
    s"$words words, $total in all"
  }
}
