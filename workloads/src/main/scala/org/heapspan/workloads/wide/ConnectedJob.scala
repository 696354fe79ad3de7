package org.heapspan.workloads.wide

import org.apache.spark.sql.SparkSession

import java.nio.file.Path

/** The features of [[WideJob]] that a client of Spark Connect has, for `spark-submit --remote`. The server gets the classes from it. */
object ConnectedJob {
  def main(arguments: Array[String]): Unit = {
    val session = SparkSession.builder().getOrCreate()
    try {
      session.addArtifact(Path.of(getClass.getProtectionDomain.getCodeSource.getLocation.toURI).toString)
      Feature.writeAll(Seq(Datasets, Tables), session, arguments)
    } finally session.close()
  }
}
