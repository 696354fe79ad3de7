"""A program for PySpark with functions over pandas' and Arrow's data, which does not know of Heapspan: results."""

import sys

import pandas
import pyarrow
from pyspark.sql import SparkSession, functions

session = SparkSession.builder.config("spark.sql.execution.arrow.pyspark.enabled", "true").getOrCreate()
try:
    sales = session.range(0, 1000, 1, 4).selectExpr("id", "id % 7 as shop", "cast(id * 31 % 101 as double) as amount")

    @functions.pandas_udf("double")
    def taxed(amount: pandas.Series) -> pandas.Series:
        return amount * 1.25

    @functions.pandas_udf("double")
    def middle(amount: pandas.Series) -> float:
        return float(amount.median())

    def largest(shop: pandas.DataFrame) -> pandas.DataFrame:
        return shop.nlargest(2, ["amount", "id"])

    def joined(some: pandas.DataFrame, others: pandas.DataFrame) -> pandas.DataFrame:
        return some.merge(others, on="shop")[["id", "name"]]

    def doubled(batches):
        for batch in batches:
            numbers, amounts = batch.column(0).to_pylist(), batch.column(2).to_pylist()
            yield pyarrow.RecordBatch.from_pydict({"id": numbers, "twice": [2 * amount for amount in amounts]})

    def filtered(frames):
        for frame in frames:
            yield frame[frame.amount > 95]

    shops = session.createDataFrame(pandas.DataFrame({"shop": range(5), "name": [f"shop {n}" for n in range(5)]}))
    known = session.sparkContext.broadcast({n: f"known {n}" for n in range(3)})
    kept = sales.withColumn("taxed", taxed("amount")).cache()
    frames = {
        "scalar": kept.groupBy("shop").sum("taxed"),
        "aggregate": sales.groupBy("shop").agg(middle("amount")),
        "of groups": sales.groupBy("shop").applyInPandas(largest, "id long, shop long, amount double"),
        "of two groups": sales.filter("id < 50")
        .groupBy("shop")
        .cogroup(shops.groupBy("shop"))
        .applyInPandas(joined, "id long, name string"),
        "in Arrow": sales.filter("id < 20").mapInArrow(doubled, "id long, twice double"),
        "in pandas": sales.mapInPandas(filtered, sales.schema),
        "window": sales.selectExpr("id", "avg(amount) over (partition by shop order by id rows 3 preceding) as a").filter("id > 990"),
        "broadcast": sales.filter("id < 6").select(
            functions.udf(lambda number: known.value.get(number, "?"), "string")("id"), "id"
        ),
    }
    results = {name: sorted(tuple(row) for row in frame.collect()) for name, frame in frames.items()}
    results["to pandas"] = kept.toPandas().sort_values("id").taxed.sum()
    results["Arrow's table"] = sales.toArrow().num_rows
    results["of an RDD"] = sorted(
        session.sparkContext.parallelize(range(60), 4)
        .map(lambda n: (n % 4, pandas.Series([n, n])))
        .reduceByKey(lambda one, other: one + other)
        .mapValues(lambda series: int(series.sum()))
        .collect()
    )
finally:
    session.stop()
with open(sys.argv[1], "w") as file:
    for name, value in results.items():
        file.write(f"{name}={value}\n")
