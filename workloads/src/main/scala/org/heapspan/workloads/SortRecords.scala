package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

/** A connection between two machines (KDD Cup 1999), with what was measured of it. */
case class Connection(
    number: Long,
    duration: Int,
    protocol: String,
    service: String,
    flag: String,
    sentBytes: Long,
    receivedBytes: Long,
    counts: Array[Int],
    rates: Array[Double],
    label: String
)

object Connection {
  private val FirstRate = 24
  private val Fields = 42

  /** All connections of the file, several times over with other numbers if that is wanted. */
  def read(spark: SparkContext, data: Data, times: Int): RDD[Connection] = {
    val lines = data.lines(spark, "kddcup.data_10_percent").zipWithIndex()
    lines.flatMap { case (line, index) =>
      val connection = parse(line)
      Iterator.range(0, times).map(time => connection.copy(number = index * times + time))
    }
  }

  private def parse(line: String): Connection = {
    val fields = line.split(',')
    require(fields.length == Fields, s"${fields.length} fields, expected $Fields: $line")
    Connection(
      0,
      fields(0).toInt,
      fields(1),
      fields(2),
      fields(3),
      fields(4).toLong,
      fields(5).toLong,
      Array.range(6, FirstRate).map(i => fields(i).toInt),
      Array.range(FirstRate, Fields - 1).map(i => fields(i).toDouble),
      fields(Fields - 1)
    )
  }
}

/** Connections in the order of what they sent: each is moved once, none is left out. */
object SortRecords extends Workload {
  override def name = "sort"
  override def title = "Sort of records by key"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val keyed = Connection
      .read(spark, data, 1)
      .filter(_.number % 100 < scale * 100)
      .map(connection => ((connection.service, connection.sentBytes, connection.number), connection))
    val sorted = keyed.sortByKey(ascending = true, data.partitions).values
    val ends = sorted
      .mapPartitions { connections =>
        var count = 0L
        var ordered = true
        var last: Connection = null
        connections.foreach { connection =>
          ordered &&= last == null || last.service < connection.service ||
            (last.service == connection.service && last.sentBytes <= connection.sentBytes)
          last = connection
          count += 1
        }
        Iterator((count, ordered))
      }
      .collect()
    s"${ends.map(_._1).sum} records, ${if (ends.forall(_._2)) "in order" else "NOT in order"}"
  }
}
