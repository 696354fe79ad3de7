package org.heapspan.workloads.wide

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.{Dataset, Encoder, Encoders, functions}

import java.time.{Duration, Instant, LocalDate, Period}
import scala.beans.BeanProperty
import scala.collection.mutable

/** Datasets of objects. */
private[wide] object Datasets extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("dataset of nested case classes", nested),
    Feature("dataset of all types", allTypes),
    Feature("dataset with Kryo's encoder", byKryo),
    Feature("dataset with Java's encoder", byJava),
    Feature("dataset of Java beans", beans),
    Feature("typed aggregator", aggregated),
    Feature("groups of objects", groups),
    Feature("cached datasets", cached),
    Feature("dataset to RDD and back", toRdd)
  )

  case class Sale(id: Int, buyer: Option[Buyer], items: Seq[Item], tags: Map[String, Item])
  case class Buyer(name: String, age: Option[Int])
  case class Item(name: String, cents: Long)

  private def sale(number: Int): Sale = Sale(
    number,
    Option.when(number % 3 != 0)(Buyer(s"buyer ${number % 10}", Option.when(number % 2 == 0)(number))),
    Seq.tabulate(number % 4)(index => Item(s"item $index", number * 10L + index)),
    if (number % 5 == 0) Map("best" -> Item("best", 1)) else Map.empty
  )

  private def sales(setting: Setting): Dataset[Sale] = {
    val session = setting.session
    import session.implicits._
    session.createDataset((0 until 200).map(sale)).repartition(4)
  }

  private def nested(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val found = sales(setting).filter(_.items.nonEmpty).map(sale => sale.copy(items = sale.items.reverse)).repartition(3)
    Canonical.ofAll(found.collect(), found.flatMap(_.items).distinct().collect())
  }

  case class Everything(
      aBoolean: Boolean,
      aByte: Byte,
      aShort: Short,
      aInt: Int,
      aLong: Long,
      aFloat: Float,
      aDouble: Double,
      aString: String,
      bytes: Array[Byte],
      decimal: BigDecimal,
      javaDecimal: java.math.BigDecimal,
      integer: BigInt,
      date: java.sql.Date,
      timestamp: java.sql.Timestamp,
      localDate: LocalDate,
      instant: Instant,
      duration: Duration,
      period: Period,
      boxed: java.lang.Integer,
      pair: (Int, String),
      table: Seq[Seq[Option[Long]]]
  )

  private def everything(number: Int): Everything = Everything(
    number % 2 == 0,
    number.toByte,
    number.toShort,
    number,
    number * 1_000_000_007L,
    number / 3f,
    number / 7.0,
    if (number % 4 == 0) null else s"text ü $number",
    Array.tabulate(number % 5)(_.toByte),
    BigDecimal(number) / 4,
    new java.math.BigDecimal(number).movePointLeft(3),
    BigInt(number) * 1_000_000_000_000L,
    new java.sql.Date(86_400_000L * number),
    new java.sql.Timestamp(1_000_000_007L * number),
    LocalDate.ofEpochDay(number),
    Instant.ofEpochSecond(number, 123_456_000),
    Duration.ofSeconds(number, 1000),
    Period.ofMonths(number),
    if (number % 3 == 0) null else number,
    number -> s"$number",
    Seq.fill(number % 3)(Seq(None, Some(number.toLong)))
  )

  private def allTypes(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val all = session.createDataset((0 until 60).map(everything)).repartition(3).cache()
    try {
      val again = all.map(each => each.copy(aInt = each.aInt + 1)).repartition(2)
      Canonical.ofAll(all.collect(), again.collect(), all.select($"pair".as[(Int, String)]).collect())
    } finally all.unpersist(blocking = true)
  }

  final class Lamp(val colour: String, val watts: Array[Int]) extends Serializable {
    override def toString: String = s"$colour ${watts.mkString(" ")}"
  }

  private def lamps(setting: Setting, encoder: Encoder[Lamp]): String = {
    implicit val ofLamps: Encoder[Lamp] = encoder
    val lamps = setting.session.createDataset((0 until 50).map(number => new Lamp(s"colour ${number % 4}", Array(number, 2))))
    val changed = lamps.map(lamp => new Lamp(lamp.colour + "!", lamp.watts.reverse)).repartition(3)
    Canonical.ofAll(changed.collect().map(_.toString))
  }

  private def byKryo(setting: Setting): String = lamps(setting, Encoders.kryo[Lamp])

  private def byJava(setting: Setting): String = lamps(setting, Encoders.javaSerialization[Lamp])

  private def beans(setting: Setting): String = {
    val beans = setting.session.createDataset(java.util.List.of(Bean("a", 1), Bean(null, 2)))(Encoders.bean(classOf[Bean]))
    Canonical.ofAll(beans.map((bean: Bean) => Bean(bean.name + "!", bean.size * 2))(Encoders.bean(classOf[Bean])).collect().map(_.toString))
  }

  private object Articles extends Aggregator[Item, mutable.TreeMap[String, Long], String] {
    override def zero: mutable.TreeMap[String, Long] = mutable.TreeMap.empty

    override def reduce(sums: mutable.TreeMap[String, Long], item: Item): mutable.TreeMap[String, Long] = {
      sums(item.name) = sums.getOrElse(item.name, 0L) + item.cents
      sums
    }

    override def merge(one: mutable.TreeMap[String, Long], other: mutable.TreeMap[String, Long]): mutable.TreeMap[String, Long] = {
      other.foreach { case (name, cents) => one(name) = one.getOrElse(name, 0L) + cents }
      one
    }

    override def finish(sums: mutable.TreeMap[String, Long]): String = sums.mkString(" ")

    override def bufferEncoder: Encoder[mutable.TreeMap[String, Long]] = Encoders.javaSerialization

    override def outputEncoder: Encoder[String] = Encoders.STRING
  }

  private def aggregated(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val items = sales(setting).flatMap(sale => sale.items.map(sale.id % 3 -> _))
    val typed = items.groupByKey(_._1).mapValues(_._2).agg(Articles.toColumn)
    val function = functions.udaf(Articles)
    Canonical.ofAll(typed.collect(), items.map(_._2).select(function($"name", $"cents")).as[String].collect())
  }

  private def groups(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val byBuyer = sales(setting).groupByKey(_.buyer.map(_.name))
    val sums = byBuyer.mapGroups((buyer, sales) => buyer -> sales.map(_.items.map(_.cents).sum).sum)
    val both =
      byBuyer.cogroup(sales(setting).groupByKey(_.buyer.map(_.name)))((buyer, some, others) => Iterator((buyer, some.size, others.size)))
    Canonical.ofAll(sums.collect(), both.collect(), byBuyer.reduceGroups((one, other) => if (one.id > other.id) one else other).collect())
  }

  private def cached(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val kept = sales(setting).persist(org.apache.spark.storage.StorageLevel.MEMORY_ONLY)
    val onDisk = kept.select($"id", functions.explode($"items").as("item")).persist(org.apache.spark.storage.StorageLevel.DISK_ONLY)
    try {
      val counts = (kept.count(), onDisk.count())
      kept.createOrReplaceTempView("sales")
      session.sql("CACHE TABLE large AS SELECT * FROM sales WHERE id > 100")
      val found = Canonical.ofAll(session.table("large").as[Sale].collect(), onDisk.collect().map(_.toString))
      session.sql("UNCACHE TABLE large")
      s"$counts, $found"
    } finally {
      onDisk.unpersist(blocking = true)
      kept.unpersist(blocking = true)
    }
  }

  private def toRdd(setting: Setting): String = {
    val session = setting.session
    import session.implicits._
    val totals = sales(setting).rdd.flatMap(sale => sale.items.map(item => item.name -> (item, sale.buyer))).groupByKey(3)
    val lamps = setting.context.parallelize(0 until 50, 4).map(number => new Lamp(s"colour ${number % 4}", Array(number, 2)))
    val lit = session.createDataset(lamps)(Encoders.kryo[Lamp]).rdd.map(lamp => lamp.colour -> lamp).groupByKey()
    Canonical.ofAll(
      totals.mapValues(_.map(_._1.cents).sum).toDS().orderBy("_1").collect(),
      lit.mapValues(_.map(_.toString).toSeq.sorted).collect()
    )
  }
}

private[wide] final class Bean extends Serializable {
  @BeanProperty var name: String = _
  @BeanProperty var size: Int = _

  override def toString: String = s"$name of $size"
}

private[wide] object Bean {
  def apply(name: String, size: Int): Bean = {
    val bean = new Bean
    bean.name = name
    bean.size = size
    bean
  }
}
