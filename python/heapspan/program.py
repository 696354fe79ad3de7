"""Native RDD programs as steps of a job of PySpark. PySpark is imported when the first program is called."""

import operator


def native(path):
    """The native program in a file that `heapspan native build` has made."""
    return NativeProgram(path)


class NativeProgram:
    """A program that takes a DataFrame or an RDD, and returns another."""

    def __init__(self, path):
        self._path = str(path)

    def call(self, name, data, *arguments, columns=None):
        """Runs the program in the session of the data.

        The first argument of the program is the name. It reads `context.input<T>("input")`, and gives its result with
        `rdd.output("output")`. Spark computes the result when it is used.

        For a DataFrame the result is a DataFrame. Its columns get the names in the list `columns`. Without the list they
        are `_1`, `_2` and so on if the elements are tuples, otherwise the one column is `value`. For an RDD the result is
        an RDD, with a tuple or a value for each element.
        """
        from pyspark import RDD
        from pyspark.sql import DataFrame, SparkSession

        given_rdd = isinstance(data, RDD)
        for each in arguments:
            if isinstance(each, (list, tuple, dict)):
                raise TypeError(
                    f"an argument of a program is a string or a number, but got the {type(each).__name__} {each!r}; "
                    "the names of columns are given as columns=[...]"
                )
        if isinstance(columns, str):
            raise TypeError(f"the columns of the result are a list of names, but got the string {columns!r}")
        if given_rdd and columns is not None:
            raise TypeError(f"{self._path} gives an RDD for an RDD, which has no columns, but got columns={columns!r}")
        session = SparkSession(data.ctx) if given_rdd else getattr(data, "sparkSession", None)
        if not given_rdd and (not hasattr(data, "_jdf") or not hasattr(session, "_jsparkSession")):
            raise TypeError(
                f"{self._path} takes an RDD, or a DataFrame of a SparkSession with a JVM (not of Spark Connect), but got "
                f"{type(data).__name__}; make an RDD of a list with parallelize"
            )
        programs = session.sparkContext._jvm.org.heapspan.spark.nativerdd.NativePrograms
        if type(programs).__name__ == "JavaPackage":
            raise RuntimeError(
                "the driver does not find Heapspan; put heapspan-spark.jar on spark.driver.extraClassPath and "
                "spark.executor.extraClassPath"
            )
        given = data._to_java_object_rdd() if given_rdd else data._jdf
        names = [] if columns is None else list(columns)
        result = programs.open(self._path).callForTable(
            name, given, session._jsparkSession, names, [str(each) for each in arguments]
        )
        table = DataFrame(result, session)
        if not given_rdd:
            return table
        # Executors need not have this package: Spark sends its own functions by name.
        return table.rdd.map(operator.itemgetter(0) if table.columns == ["value"] else tuple)
