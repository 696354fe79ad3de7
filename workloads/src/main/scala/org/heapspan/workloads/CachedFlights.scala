package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._
import org.apache.spark.storage.StorageLevel

/** Queries over a cached table of flights (US Bureau of Transportation Statistics): groups, a join of the table with what was found of it,
  * a filter. At scale 1 it has 27 million rows. Each has a ticket and a fare of its own, which are made up: of columns with few values
  * Spark's cache has little to hold.
  */
object CachedFlights extends CachingWorkload {
  private val Copies = 9.0

  override def name = "cached-flights"
  override def title = "Queries over a table of flights (Dataset)"

  override def run(spark: SparkContext, data: Data, scale: Double, level: StorageLevel): String = {
    val session = SparkSession.builder().getOrCreate()
    val flights = table(session, data, Copies * scale).persist(level)
    val rows = flights.count()
    val airports = flights.groupBy("origin").agg(count("*").as("flights"), avg("delay").as("mean"))
    val routes = flights.groupBy("origin", "destination").agg(sum(col("distance").cast("long")).as("miles"), sum("fare").as("fares"))
    val late = flights.join(broadcast(airports), "origin").where(col("delay") > col("mean") + 60)
    val far = flights.where(col("distance") > 2000).agg(sum("delay"))
    val result =
      s"$rows flights, ${airports.count()} airports, ${routes
          .count()} routes, ${routes.agg(sum("miles"), sum("fares")).head().toSeq.mkString(" miles for ")}, " +
        s"${late.agg(count("*"), max("ticket")).head().toSeq.mkString(" late with tickets up to ")}, ${far.head().get(0)} minutes of delay on long ways"
    flights.unpersist()
    result
  }

  /** The rows that are there, so many times; less than once for the first of them. Equal rows are not neighbours, whose columns would be
    * stored once.
    */
  private def table(session: SparkSession, data: Data, copies: Double): DataFrame = {
    val once = session.read.parquet(data.location("flights-3m.parquet"))
    val some = (if (copies < 1) once.limit((3000000 * copies).toInt) else once).repartition(data.partitions)
    val number = xxhash64((Seq("date", "delay", "distance", "origin", "destination").map(col) :+ col("copy")): _*)
    (1 to math.max(1, math.round(copies).toInt))
      .map(copy => some.withColumn("copy", lit(copy)))
      .reduce(_ union _)
      .withColumn("number", number)
      .withColumn("ticket", concat(col("origin"), col("destination"), hex(col("number"))))
      .withColumn("fare", col("distance") * 1000 + abs(col("number") % 100000))
      .drop("copy", "number")
      .coalesce(data.partitions)
  }
}
