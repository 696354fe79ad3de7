"""Exchanges tables with a native program: results checks.so, and the folder of the Python package."""

import sys

from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, sys.argv[3])
import heapspan  # noqa: E402

session = SparkSession.builder.getOrCreate()
context = session.sparkContext
schema = (
    "a boolean not null, b tinyint not null, c smallint not null, d int not null, e bigint not null, f float not null, "
    "g double not null, h string not null, i binary not null, j array<double> not null, k string"
)
rows = [
    (True, 1, -2, 3, 1 << 40, 0.5, 1e300, "text", bytearray(b"bytes"), [1.5, -0.25], None),
    (False, -1, 2, 5, -1, -0.5, 0.0, "", bytearray(), [], "é"),
]
table = session.createDataFrame(rows, schema)
try:
    programs = context._jvm.org.heapspan.spark.nativerdd.NativePrograms
    inputs = {
        "rows": table._jdf,
        "numbers": session.createDataFrame([(5,), (7,)], "n bigint not null")._jdf,
        "pairs": session.createDataFrame([("a", 1), ("b", 2), ("a", 3)], "k string, v bigint")._jdf,
    }
    found = programs.run(context._jsc.sc(), sys.argv[2], inputs, ["values"])

    def frame(name, columns):
        return DataFrame(found.dataFrame(session._jsparkSession, name, columns), session)

    program = heapspan.native(sys.argv[2])
    pairs = session.createDataFrame([("a", 1), ("b", 2), ("a", 3)], "k string, v bigint")
    called = program.call("sum_by_key", pairs, 5, columns=["key", "sum"])
    try:
        program.call("sum_by_key", [("a", 1)], 5)
        refused = "nothing"
    except TypeError:
        refused = "TypeError"
    tuples = [
        (True, 3, 1 << 40, 1e300, "text", b"bytes", [1.5, -0.25], None, (1, "a")),
        (False, -3, -1, 0.0, "", b"", [], "é", (-1, "")),
    ]
    echoed = program.call("echo", context.parallelize(tuples, 2))
    incremented = program.call("increment", context.parallelize(range(5), 2).map(lambda number: number * 2))
    wrong = program.call("increment", context.parallelize([1, "two"]))
    try:
        wrong.collect()
        misfit = "nothing"
    except Exception as error:
        misfit = "found java.lang.String, expected int64" in str(error)
    back = frame("rows", table.columns)
    results = {
        "sums": sorted(tuple(row) for row in frame("sums", ["key", "sum"]).collect()),
        "numbers": sorted(row.number for row in frame("numbers", ["number"]).collect()),
        "called": sorted(tuple(row) for row in called.collect()),
        "called with something else": refused,
        "unnamed columns": program.call("sum_by_key", pairs, 5).columns,
        "called with an RDD": sorted(program.call("sum_by_key", pairs.rdd.map(tuple), 5).collect()),
        "tuples": "same" if echoed.collect() == tuples else echoed.collect(),
        "type of a tuple": type(echoed.first()).__name__,
        "numbers of an RDD": incremented.sortBy(lambda number: number).collect(),
        "a wrong value": misfit,
        "rows": "same" if back.collect() == table.collect() else back.collect(),
    }
finally:
    session.stop()
with open(sys.argv[1], "w") as file:
    for name, value in results.items():
        file.write(f"{name}={value}\n")
