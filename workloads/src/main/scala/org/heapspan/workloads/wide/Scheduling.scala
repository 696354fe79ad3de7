package org.heapspan.workloads.wide

import org.apache.spark.resource.{ResourceProfileBuilder, TaskResourceRequests}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskStart}
import org.apache.spark.{BarrierTaskContext, SparkException, TaskContext}

import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.util.Try

/** Jobs and tasks in other ways than one after the other. */
private[wide] object Scheduling extends FeatureGroup {
  private val MostSeconds = 120L

  override def features: Seq[Feature] = Seq(
    Feature("job group that is cancelled", cancelled),
    Feature("barrier stage", barrier),
    Feature("stage with a profile of resources", profile),
    Feature("jobs in pools", pools),
    Feature("task that fails once", retried),
    Feature("task that always fails", failing),
    Feature("tasks that another copy may do", speculative),
    Feature("local properties and job tags", properties)
  )

  private def cancelled(setting: Setting): String = {
    val started = new CountDownLatch(1)
    val listener = new SparkListener {
      override def onTaskStart(start: SparkListenerTaskStart): Unit = started.countDown()
    }
    var outcome = Try("not run")
    val job = new Thread(() => {
      setting.context.setJobGroup("slow", "a job that takes a minute", interruptOnCancel = true)
      outcome = Try(
        setting.context.parallelize(0 until 4, 4).map(number => { Thread.sleep(60_000); number -> number }).groupByKey().count().toString
      )
    })
    setting.context.addSparkListener(listener)
    job.start()
    require(started.await(MostSeconds, TimeUnit.SECONDS), "no task has started")
    setting.context.cancelJobGroup("slow")
    job.join()
    setting.context.removeSparkListener(listener)
    val why = outcome.failed.map(failure => failure.isInstanceOf[SparkException] && failure.getMessage.contains("slow"))
    s"$why, ${Canonical.ofAll(setting.context.parallelize(0 until 40, 4).map(Order.numbered).groupBy(_.customer.country).mapValues(_.size).collect())}"
  }

  private def barrier(setting: Setting): String = {
    val records = setting.context
      .parallelize(0 until 40, 2)
      .map(number => number % 6 -> Order.numbered(number))
      .partitionBy(new org.apache.spark.HashPartitioner(2))
    val found = records.barrier().mapPartitions { orders =>
      val context = BarrierTaskContext.get()
      context.barrier()
      val all = context.allGather(orders.map(_._2.total).sum.toString)
      Iterator((context.partitionId(), context.getTaskInfos().length, all.toSeq))
    }
    Canonical.ofAll(found.collect())
  }

  private def profile(setting: Setting): String = {
    val wanted = new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(1)).build()
    val counts = setting.context
      .parallelize(0 until 60, 4)
      .map(number => Order.customer(number % 9) -> number)
      .groupByKey()
      .withResources(wanted)
      .mapValues(_.sum)
    Canonical.ofAll(counts.collect())
  }

  private def pools(setting: Setting): String = {
    val results = new Array[String](4)
    val threads = results.indices.map(index =>
      new Thread(() => {
        setting.context.setLocalProperty("spark.scheduler.pool", s"pool ${index % 2}")
        results(index) = Try(
          Canonical.ofAll(
            setting.context
              .parallelize(0 until 200, 4)
              .map(number => Order.numbered(number * index))
              .groupBy(_.customer)
              .mapValues(_.map(_.id).sum)
              .collect()
          )
        ).toString
      })
    )
    threads.foreach(_.start())
    threads.foreach(_.join())
    Canonical.inOrder(results)
  }

  private def retried(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 100, 4).map(Order.numbered).mapPartitions { orders =>
      val context = TaskContext.get()
      orders.map { order =>
        if (context.partitionId() == 2 && context.attemptNumber() == 0 && order.id % 21 == 0) throw new IllegalStateException("once")
        order.customer -> order
      }
    }
    val result = records.groupByKey(3).mapPartitions { groups =>
      val context = TaskContext.get()
      val sums = groups.map { case (customer, orders) => customer -> orders.map(_.total).sum }.toList
      if (context.partitionId() == 1 && context.attemptNumber() == 0) throw new IllegalStateException("once more")
      sums.iterator
    }
    Canonical.ofAll(result.collect())
  }

  private def failing(setting: Setting): String = {
    val outcome = Try(
      setting.context
        .parallelize(0 until 10, 2)
        .map(number => if (number == 7) throw new Broken(Order.customer(number)) else number)
        .collect()
    )
    val message = outcome.failed.get.getMessage
    s"${message.contains("Broken: customer 7 is broken")}, ${Canonical.ofAll(setting.context.parallelize(0 until 3, 2).collect())}"
  }

  private final class Broken(val customer: Customer) extends RuntimeException(s"${customer.name} is broken")

  /** Where Spark may start copies of slow tasks, the first copy of one task only ends when another has done the work. */
  private def speculative(setting: Setting): String = {
    val mayBeCopied = setting.context.getConf.getBoolean("spark.speculation", defaultValue = false)
    val copies = setting.context.longAccumulator
    val records = setting.context.parallelize(0 until 80, 8).map { number =>
      if (number == 79) {
        if (TaskContext.get().attemptNumber() > 0) copies.add(1)
        else if (mayBeCopied) TimeUnit.SECONDS.sleep(MostSeconds)
      }
      Order.customer(number % 5) -> Order.numbered(number)
    }
    val result = Canonical.ofAll(records.groupByKey(2).mapValues(_.map(_.id).toSeq.sorted).collect())
    require(copies.value == (if (mayBeCopied) 1 else 0), s"${copies.value} copies of the slow task have ended")
    result
  }

  private def properties(setting: Setting): String = {
    setting.context.setLocalProperty("of the job", "seven")
    setting.context.addJobTag("tagged")
    try
      Canonical.ofAll(
        setting.context.parallelize(0 until 4, 2).map(number => number -> TaskContext.get().getLocalProperty("of the job")).collect(),
        setting.context.getJobTags()
      )
    finally {
      setting.context.setLocalProperty("of the job", null)
      setting.context.clearJobTags()
    }
  }
}
