package org.heapspan.workloads.wide

import org.apache.spark.sql.functions._
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.{DataFrame, Row}

/** SQL and its plans. */
private[wide] object Tables extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("SQL windows", setting => rows(windows(setting))),
    Feature("SQL cube, rollup, pivot", setting => rows(cubes(setting))),
    Feature("SQL joins of all kinds", joins),
    Feature("SQL functions of the program", functions),
    Feature("SQL collect_list of structs and sorts", setting => rows(lists(setting))),
    Feature("SQL files of Parquet, JSON, CSV", files)
  )

  private def rows(frame: DataFrame): String = Canonical.ofAll(frame.collect().map(_.toString))

  private def sales(setting: Setting): DataFrame = setting.session
    .range(0, 600, 1, 4)
    .selectExpr(
      "id",
      "concat('shop ', id % 7) as shop",
      "id * 31 % 101 as amount",
      "date_add(date'2024-01-01', cast(id % 90 as int)) as day"
    )

  private def shops(setting: Setting): DataFrame =
    setting.session
      .createDataFrame((0 until 9).map(number => (s"shop $number", if (number % 2 == 0) "DE" else null)))
      .toDF("shop", "country")

  private def windows(setting: Setting): DataFrame = {
    val byShop = Window.partitionBy("shop").orderBy("day", "id")
    sales(setting).select(
      col("id"),
      sum("amount").over(byShop),
      rank().over(byShop),
      lag("amount", 2).over(byShop),
      max("amount").over(byShop.rowsBetween(-3, 3))
    )
  }

  private def cubes(setting: Setting): DataFrame = {
    val named = sales(setting).withColumn("month", month(col("day")))
    val cube = named.cube("shop", "month").agg(sum("amount"), countDistinct("day"), grouping_id())
    val pivot = named.groupBy("shop").pivot("month", Seq(1, 2, 3)).sum("amount")
    cube
      .select(concat_ws("|", cube.columns.map(col).toIndexedSeq: _*))
      .union(pivot.select(concat_ws("|", pivot.columns.map(col).toIndexedSeq: _*)))
  }

  private def joins(setting: Setting): String = {
    val found = for {
      hint <- Seq("broadcast", "merge", "shuffle_hash")
      kind <- Seq("inner", "left_outer", "left_anti", "full_outer")
    } yield rows(sales(setting).filter("id < 60").join(shops(setting).hint(hint), Seq("shop"), kind))
    Canonical.inOrder(found :+ rows(sales(setting).filter("id < 9").crossJoin(shops(setting))))
  }

  private def functions(setting: Setting): String = {
    val reversed = udf((text: String, parts: Seq[Row]) => text.reverse + parts.map(_.getLong(0)).sum)
    val frame = sales(setting).groupBy("shop").agg(collect_list(struct("amount", "id")).as("parts"))
    rows(frame.select(reversed(col("shop"), col("parts"))))
  }

  private def lists(setting: Setting): DataFrame =
    sales(setting)
      .groupBy("day")
      .agg(sort_array(collect_list(struct("id", "shop"))).as("all"), map_from_arrays(array(lit("a")), array(max("amount"))))
      .orderBy(desc("day"))

  private def files(setting: Setting): String = {
    val found = for (format <- Seq("parquet", "json", "csv")) yield {
      val path = setting.path(s"table of $format")
      sales(setting)
        .withColumn("day", col("day").cast("string"))
        .repartition(2)
        .write
        .option("header", value = true)
        .format(format)
        .partitionBy("shop")
        .save(path)
      rows(
        setting.session.read
          .option("header", value = true)
          .format(format)
          .load(path)
          .select(col("id").cast("long"), col("shop"), col("amount").cast("long"), col("day").cast("string"))
      )
    }
    Canonical.inOrder(found)
  }
}
