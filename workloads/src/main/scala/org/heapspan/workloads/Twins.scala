package org.heapspan.workloads

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, count, explode, lit, split, sum}

/** DataFrames for twins. */
private object TwinTables {

  /** A session whose shuffles have as many partitions as those of the twins in Scala. */
  def session(spark: SparkContext, data: Data): SparkSession = {
    val session = SparkSession.builder().config(spark.getConf).getOrCreate()
    session.conf.set("spark.sql.shuffle.partitions", data.partitions.toString)
    session
  }

  /** A column `value` with the lines of a file. */
  def text(spark: SparkContext, data: Data, file: String): DataFrame = session(spark, data).read.text(data.location(file))
}

/** `word_count.cpp`: how often each word stands in the novels. */
object TwinWords extends Twin {
  private val Blank = "[\\x00-\\x20]+"

  override def name = "twin-words"
  override def title = "Word count, all words"
  override def program = "word_count"
  override def file = "english-novels-100.txt"

  override def lines(spark: SparkContext, data: Data): RDD[_] =
    data.lines(spark, file).flatMap(line => line.split(Blank).iterator.filter(_.nonEmpty)).map((_, 1L)).reduceByKey(_ + _)

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] =
    TwinTables
      .text(spark, data, file)
      .select(explode(split(col("value"), Blank)).as("word"))
      .where(col("word") =!= "")
      .groupBy("word")
      .agg(count(lit(1)))
      .rdd
      .map(row => (row.getString(0), row.getLong(1)))

  override def summary(lines: Iterator[String]): String = {
    val counts = lines.map(Twin.second(_).toLong).toSeq
    s"${counts.size} words, ${counts.sum} in all"
  }
}

/** `page_rank.cpp`: ranks of web pages. */
object TwinRanks extends Twin {
  private val Iterations = 10

  override def name = "twin-ranks"
  override def title = s"Page ranks, $Iterations iterations"
  override def program = "page_rank"
  override def file = "cnr-2000.txt"
  override def arguments = Seq(Iterations.toString)

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    val links = data.edges(spark, file).distinct().groupByKey().cache()
    var ranks = links.mapValues(_ => 1.0)
    for (_ <- 1 to Iterations) {
      val received = links.join(ranks).values.flatMap { case (targets, rank) =>
        val share = rank / targets.size
        targets.map(target => (target, share))
      }
      ranks = received.reduceByKey(_ + _).mapValues(0.15 + 0.85 * _)
    }
    ranks
  }

  /** Not GraphX's page rank, which gives a rank to pages that no other links to. */
  override def libraryLines(spark: SparkContext, data: Data): RDD[_] = {
    val fields = split(col("value"), "\t")
    val edges = TwinTables
      .text(spark, data, file)
      .select(fields.getItem(0).cast("int").as("from"), fields.getItem(1).cast("int").as("to"))
      .distinct()
    val links = edges.join(edges.groupBy("from").agg(count(lit(1)).as("targets")), "from").cache()
    var ranks = links.select("from").distinct().withColumn("rank", lit(1.0))
    for (_ <- 1 to Iterations) {
      ranks = links
        .join(ranks, "from")
        .groupBy(col("to").as("from"))
        .agg((sum(col("rank") / col("targets")) * 0.85 + 0.15).as("rank"))
    }
    ranks.rdd.map(row => (row.getInt(0), row.getDouble(1)))
  }

  override def summary(lines: Iterator[String]): String = {
    val ranks = lines.map(Twin.second(_).toDouble).toSeq
    s"${ranks.size} pages, sum ${Workload.rounded(ranks.sum)}"
  }
}
