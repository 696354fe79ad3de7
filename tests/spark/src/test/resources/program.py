"""A program for PySpark, which does not know of Heapspan: results."""

import sys

from pyspark.sql import SparkSession, functions

session = SparkSession.builder.getOrCreate()
context = session.sparkContext
try:
    words = context.parallelize(["a b", "b c", "c c"] * 100, 4).flatMap(str.split)
    counts = words.map(lambda word: (word, {"count": 1})).reduceByKey(
        lambda one, other: {"count": one["count"] + other["count"]}, 3
    )
    known = context.broadcast({"a": "first"})
    total = context.accumulator(0)
    words.foreach(lambda word: total.add(len(word)))
    frame = session.range(1000).groupBy((functions.col("id") % 7).alias("key")).count()
    names = session.createDataFrame([(1, "one"), (2, "two")], ["id", "name"])
    joined = session.range(20).join(functions.broadcast(names), "id").select("id", "name")
    results = {
        "counts": sorted(counts.collect(), key=str),
        "broadcast": words.map(lambda word: known.value.get(word, "?")).distinct().sortBy(str).collect(),
        "accumulator": total.value,
        "joined": sorted(tuple(row) for row in joined.collect()),
        "frame": sorted(tuple(row) for row in frame.collect()),
        "cached": words.cache().count() + words.count(),
        "python rows": session.createDataFrame([("x", 1), ("y", 2)], ["name", "value"]).rdd.map(tuple).collect(),
    }
finally:
    session.stop()
with open(sys.argv[1], "w") as file:
    for name, value in results.items():
        file.write(f"{name}={value}\n")
