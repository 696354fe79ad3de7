package org.heapspan.workloads

import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.io.{BytesWritable, NullWritable}
import org.apache.hadoop.mapred.{FileOutputFormat, JobConf, RecordWriter, Reporter}
import org.apache.hadoop.util.Progressable
import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.functions.{col, substring}

import java.nio.file.{Files, Path}
import java.util.Arrays

/** `terasort.cpp`: records of 100 bytes in the order of their first 10. */
object TwinSort extends Twin {
  private val RecordBytes = 100
  private val KeyBytes = 10

  override def name = "twin-sort"
  override def title = "Sort"
  override def program = "terasort"
  override def file = "records-to-sort.bin"
  override def isText = false
  override def allArguments(input: String, output: String): Seq[String] = Seq("sort", input, output)

  override def lines(spark: SparkContext, data: Data): RDD[_] = {
    implicit val unsigned: Ordering[Array[Byte]] = (a, b) => Arrays.compareUnsigned(a, b)
    spark
      .binaryRecords(data.location(file), RecordBytes)
      .map(record => (record.take(KeyBytes), record.drop(KeyBytes)))
      .sortByKey()
      .map { case (key, rest) => key ++ rest }
  }

  override def libraryLines(spark: SparkContext, data: Data): RDD[_] =
    TwinTables
      .session(spark, data)
      .createDataset(spark.binaryRecords(data.location(file), RecordBytes))(Encoders.BINARY)
      .toDF("record")
      .orderBy(substring(col("record"), 1, KeyBytes))
      .rdd
      .map(_.getAs[Array[Byte]](0))

  override def save(results: RDD[_], output: String): Unit =
    results
      .asInstanceOf[RDD[Array[Byte]]]
      .map(record => (NullWritable.get, new BytesWritable(record)))
      .saveAsHadoopFile[RecordFiles](output)

  override def summary(lines: Iterator[String]): String = throw new UnsupportedOperationException("records are no lines")

  override def summaryOf(files: Seq[Path]): String = {
    val records = files.iterator.flatMap(Files.readAllBytes(_).grouped(RecordBytes))
    var count = 0L
    var hashes = 0L
    var inOrder = true
    var last = new Array[Byte](KeyBytes)
    records.foreach { record =>
      inOrder &= Arrays.compareUnsigned(last, 0, KeyBytes, record, 0, KeyBytes) <= 0
      last = record
      count += 1
      hashes += Arrays.hashCode(record)
    }
    s"$count records, ${if (inOrder) "in order" else "NOT IN ORDER"}, sum of hashes $hashes"
  }
}

/** Files that have nothing but the bytes of records. */
class RecordFiles extends FileOutputFormat[NullWritable, BytesWritable] {
  override def getRecordWriter(
      ignored: FileSystem,
      job: JobConf,
      name: String,
      progress: Progressable
  ): RecordWriter[NullWritable, BytesWritable] = {
    val file = FileOutputFormat.getTaskOutputPath(job, name)
    val stream = file.getFileSystem(job).create(file, progress)
    new RecordWriter[NullWritable, BytesWritable] {
      override def write(key: NullWritable, record: BytesWritable): Unit = stream.write(record.getBytes, 0, record.getLength)
      override def close(reporter: Reporter): Unit = stream.close()
    }
  }
}
