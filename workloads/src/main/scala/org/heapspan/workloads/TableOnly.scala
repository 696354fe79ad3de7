package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

/** A query over a table, whose rows Spark carries itself: the control that shows what a serializer costs where it has nothing to do. */
object TableOnly extends Workload {
  private val Rows = 20000000L
  private val Groups = 1000000L

  override def name = "table"
  override def title = "Query over a table (control)"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val session = SparkSession.builder().getOrCreate()
    val rows = session.range(0, (Rows * scale).toLong, 1, data.partitions)
    val groups = rows.selectExpr(s"id * 7919 % $Groups as key", "id").groupBy("key").sum("id").count()
    s"$groups groups"
  }
}
