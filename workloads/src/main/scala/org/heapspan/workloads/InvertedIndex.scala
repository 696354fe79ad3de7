package org.heapspan.workloads

import org.apache.spark.SparkContext

/** Where a word stands. */
case class Posting(document: Int, line: Long, column: Int)

/** For each word of the novels where it stands. */
object InvertedIndex extends Workload {
  private val Share = 0.2
  private val LinesOfDocument = 2000

  override def name = "inverted-index"
  override def title = "Inverted index of novels"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val most = math.min(1.0, Share * scale)
    val postings = data
      .lines(spark, "english-novels-100.txt")
      .zipWithIndex()
      .filter { case (_, number) => number % 100 < most * 100 }
      .flatMap { case (line, number) =>
        Words.of(line).map { case (word, column) => (word, Posting((number / LinesOfDocument).toInt, number, column)) }
      }
    val (words, positions, longest) = postings
      .groupByKey(data.partitions)
      .map { case (_, places) => (1L, places.size.toLong, places.map(_.document).toSet.size.toLong) }
      .treeReduce((a, b) => (a._1 + b._1, a._2 + b._2, math.max(a._3, b._3)))
    s"$words words, $positions postings, $longest documents at most"
  }
}

/** Splits text. */
private[workloads] object Words {

  /** The words of a line in lower case, each with the column where it begins. */
  def of(line: String): Iterator[(String, Int)] = new Iterator[(String, Int)] {
    private var end = 0
    private var start = next(0)

    private def next(from: Int): Int = {
      var at = from
      while (at < line.length && !Character.isLetter(line.charAt(at))) at += 1
      at
    }

    override def hasNext: Boolean = start < line.length

    override def next(): (String, Int) = {
      end = start
      while (end < line.length && Character.isLetter(line.charAt(end))) end += 1
      val word = (line.substring(start, end).toLowerCase(java.util.Locale.ROOT), start)
      start = next(end)
      word
    }
  }
}
