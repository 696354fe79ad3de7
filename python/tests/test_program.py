import sys
import types
import unittest
from unittest import mock

import heapspan


class JavaPackage:
    """What py4j has for a name that the JVM does not know."""

    def __getattr__(self, name):
        return JavaPackage()


def frame():
    session = types.SimpleNamespace(_jsparkSession=None, sparkContext=types.SimpleNamespace(_jvm=JavaPackage()))
    return types.SimpleNamespace(_jdf=None, sparkSession=session)


class ProgramTest(unittest.TestCase):
    """Mistakes in a call. Programs that run are tested with Spark."""

    def setUp(self):
        pyspark = {"pyspark": types.ModuleType("pyspark"), "pyspark.sql": types.ModuleType("pyspark.sql")}
        pyspark["pyspark.sql"].DataFrame = object
        modules = mock.patch.dict(sys.modules, pyspark)
        modules.start()
        self.addCleanup(modules.stop)
        self.program = heapspan.native("sums.so")

    def test_a_list_is_no_data_frame(self):
        with self.assertRaisesRegex(TypeError, "sums.so takes a DataFrame .* but got list"):
            self.program.call("sums", [1], ["sum"])

    def test_a_string_is_no_list_of_columns(self):
        with self.assertRaisesRegex(TypeError, "a list of names, but got the string 'sum'"):
            self.program.call("sums", frame(), "sum")

    def test_a_driver_without_heapspan_is_named(self):
        with self.assertRaisesRegex(RuntimeError, "does not find Heapspan; put heapspan-spark.jar on"):
            self.program.call("sums", frame(), ["sum"])


if __name__ == "__main__":
    unittest.main()
