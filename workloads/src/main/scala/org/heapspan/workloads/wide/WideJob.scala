package org.heapspan.workloads.wide

import org.apache.spark.SparkConf
import org.apache.spark.sql.SparkSession

/** An application that uses as much of Spark as one application can: each feature by itself, and what came of it as one line of text, which
  * is the same wherever Spark does the same. [[Feature.writeAll]] says what its arguments are.
  */
object WideJob {
  private val groups: Seq[FeatureGroup] = Seq(
    StorageLevels,
    Datasets,
    Tables,
    Combining,
    Joining,
    Ordering,
    Actions,
    SharedVariables,
    Values,
    Collections,
    Records,
    Functions,
    Graphs,
    Learning,
    Streams,
    Scheduling,
    ShellClasses
  )

  def main(arguments: Array[String]): Unit = {
    val session = SparkSession.builder().config(ShellClasses.prepared(new SparkConf())).appName("wide job").getOrCreate()
    try Feature.writeAll(groups, session, arguments)
    finally session.stop()
  }
}
