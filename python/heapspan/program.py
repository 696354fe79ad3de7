"""Native RDD programs as steps of a job of PySpark. PySpark is imported when the first program is called."""


def native(path):
    """The native program in a file that `heapspan native build` has made."""
    return NativeProgram(path)


class NativeProgram:
    """A program that takes a DataFrame and returns another."""

    def __init__(self, path):
        self._path = str(path)

    def call(self, name, frame, columns, *arguments):
        """Runs the program in the session of the DataFrame.

        The first argument of the program is the name. It reads `context.input<T>("input")`, and gives its result with
        `rdd.output("output")`. The columns of the result get the names in `columns`. Spark computes it when it is used.
        """
        from pyspark.sql import DataFrame

        session = getattr(frame, "sparkSession", None)
        if not hasattr(frame, "_jdf") or not hasattr(session, "_jsparkSession"):
            raise TypeError(
                f"{self._path} takes a DataFrame of a SparkSession with a JVM (not of Spark Connect), but got "
                f"{type(frame).__name__}; make one of an RDD or a list with createDataFrame"
            )
        if isinstance(columns, str):
            raise TypeError(f"the columns of the result are a list of names, but got the string {columns!r}")
        context = session.sparkContext
        programs = context._jvm.org.heapspan.spark.nativerdd.NativePrograms
        if type(programs).__name__ == "JavaPackage":
            raise RuntimeError(
                "the driver does not find Heapspan; put heapspan-spark.jar on spark.driver.extraClassPath and "
                "spark.executor.extraClassPath"
            )
        program = programs.open(context._jsc.sc(), self._path)
        result = program.callOnTable(name, frame._jdf, list(columns), [str(each) for each in arguments])
        return DataFrame(result, session)
