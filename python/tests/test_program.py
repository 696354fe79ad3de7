import sys
import types
import unittest
from unittest import mock

import heapspan


class JavaPackage:
    """What py4j has for a name that the JVM does not know."""

    def __getattr__(self, name):
        return JavaPackage()


class Rdd:
    """Of a SparkContext."""

    ctx = types.SimpleNamespace(_jvm=JavaPackage())


class Session:
    """As of PySpark."""

    _jsparkSession = None

    def __init__(self, context):
        self.sparkContext = context


def frame():
    return types.SimpleNamespace(_jdf=None, sparkSession=Session(Rdd.ctx))


class ProgramTest(unittest.TestCase):
    """Mistakes in a call. Programs that run are tested with Spark."""

    def setUp(self):
        pyspark = {"pyspark": types.ModuleType("pyspark"), "pyspark.sql": types.ModuleType("pyspark.sql")}
        pyspark["pyspark"].RDD = Rdd
        pyspark["pyspark.sql"].DataFrame = object
        pyspark["pyspark.sql"].SparkSession = Session
        modules = mock.patch.dict(sys.modules, pyspark)
        modules.start()
        self.addCleanup(modules.stop)
        self.program = heapspan.native("sums.so")

    def test_a_list_is_no_data(self):
        with self.assertRaisesRegex(TypeError, "sums.so takes an RDD, or a DataFrame .* but got list"):
            self.program.call("sums", [1])

    def test_a_string_is_no_list_of_columns(self):
        with self.assertRaisesRegex(TypeError, "a list of names, but got the string 'sum'"):
            self.program.call("sums", frame(), columns="sum")

    def test_columns_are_no_argument(self):
        with self.assertRaisesRegex(TypeError, r"the list \['sum'\]; the names of columns are given as columns="):
            self.program.call("sums", frame(), ["sum"])

    def test_an_rdd_has_no_columns(self):
        with self.assertRaisesRegex(TypeError, r"an RDD, which has no columns, but got columns=\['sum'\]"):
            self.program.call("sums", Rdd(), columns=["sum"])

    def test_a_driver_without_heapspan_is_named(self):
        for data in (frame(), Rdd()):
            with self.assertRaisesRegex(RuntimeError, "does not find Heapspan; put heapspan-spark.jar on"):
                self.program.call("sums", data)


if __name__ == "__main__":
    unittest.main()
