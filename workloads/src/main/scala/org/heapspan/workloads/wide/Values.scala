package org.heapspan.workloads.wide

import org.apache.spark.sql.Row

import scala.reflect.ClassTag
import scala.util.Try

/** Records of many kinds, shuffled and cached. */
private[wide] object Values extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("Option, Either, Try", setting => travelled(setting)(either)),
    Feature("exceptions as values", setting => travelled(setting)(failure)),
    Feature("null keys and values", nulls),
    Feature(
      "unit values",
      setting =>
        Canonical.ofAll(
          setting.context.parallelize(0 until 40, 4).map(number => number % 7 -> ((): Unit)).groupByKey().mapValues(_.toSeq).collect()
        )
    ),
    Feature("enums of Java and Scala", setting => travelled(setting)(enumerated)),
    Feature("sets and maps of enums", setting => travelled(setting)(ofEnums)),
    Feature("numbers and texts of all kinds", setting => travelled(setting)(numbers)),
    Feature("dates and times", setting => travelled(setting)(times)),
    Feature("arrays of primitives behind keys", arrays),
    Feature("rows as records", rows),
    Feature("objects of Java's net, util, math", setting => travelled(setting)(ofJava)),
    Feature("objects that are the same in a task result", identities)
  )

  /** What comes of records that go through a shuffle and a cache. */
  private[wide] def travelled[T: ClassTag](setting: Setting)(make: Int => T): String = {
    val shuffled = setting.context.parallelize(0 until 120, 4).map(number => number % 11 -> make(number)).groupByKey(3)
    val kept = shuffled.flatMap(_._2).cache()
    try s"${Canonical.ofAll(kept.collect())} again ${Canonical.ofAll(kept.map(Canonical.of(_)).collect())}"
    finally kept.unpersist(blocking = true)
  }

  private def either(number: Int): (Option[Customer], Either[String, Long], Try[Int], Option[Option[Nothing]]) = (
    Option.when(number % 2 == 0)(Order.customer(number)),
    Either.cond(number % 3 == 0, number.toLong, s"no third of $number"),
    Try(100 / (number % 4)).recover { case _: ArithmeticException if number % 8 == 0 => -1 },
    if (number % 5 == 0) Some(None) else None
  )

  private def failure(number: Int): Throwable = {
    val cause = new NoSuchElementException(s"no $number")
    val failure: Exception = number % 3 match {
      case 0 => new IllegalStateException("state", cause)
      case 1 => new RuntimeException(null, new java.io.IOException("disk", cause))
      case _ => new Delayed(Order.customer(number), number)
    }
    if (number % 2 == 0) failure.addSuppressed(cause)
    failure
  }

  private final class Delayed(val customer: Customer, val days: Int) extends Exception(s"$customer waits $days days")

  private def nulls(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 60, 4).map { number =>
      val key: String = if (number % 5 == 0) null else s"key ${number % 4}"
      val value: Customer = if (number % 3 == 0) null else Order.customer(number)
      key -> value
    }
    val counts = records.mapValues(value => if (value == null) 0 else 1).reduceByKey(_ + _)
    Canonical.ofAll(records.groupByKey().mapValues(Canonical.ofAll(_)).collect(), counts.collect(), records.map(_._2).distinct().collect())
  }

  private object Colour extends Enumeration {
    val Red, Green = Value
    val Blue: Value = Value(7, "blue as the sky")
  }

  private sealed abstract class Shape(val corners: Int)
  private case object Circle extends Shape(0)
  private case class Polygon(override val corners: Int) extends Shape(corners)

  private def enumerated(number: Int): Any = number % 5 match {
    case 0 => java.time.DayOfWeek.of(1 + number % 7)
    case 1 => Colour(if (number % 2 == 0) 7 else number % 2)
    case 2 => if (number % 2 == 0) Circle else Polygon(number)
    case 3 => java.time.Month.of(1 + number % 12)
    case _ => java.util.concurrent.TimeUnit.DAYS
  }

  private def ofEnums(number: Int): Seq[Any] = Seq[Any](
    java.util.EnumSet.range(java.time.Month.MARCH, java.time.Month.of(4 + number % 8)),
    new java.util.EnumMap(java.util.Map.of(java.util.concurrent.TimeUnit.DAYS, number))
  )

  private def numbers(number: Int): Seq[Any] = Seq[Any](
    number.toByte,
    number.toShort,
    ('a' + number).toChar,
    number % 2 == 0,
    number.toFloat / 3,
    if (number % 7 == 0) Double.NaN else number / 7.0,
    BigInt(number).pow(30),
    BigDecimal(number) / 8,
    new java.math.BigInteger("-123456789012345678901234567890"),
    new java.math.BigDecimal("0.10").setScale(number % 20 + 2),
    "ä" * (number % 3) + "\uD83D\uDE00" + "z",
    Symbol(s"symbol $number")
  )

  private def times(number: Int): Seq[Any] = {
    val instant = java.time.Instant.ofEpochSecond(1_600_000_000L + 86_399L * number, 123_456_789)
    val zone = java.time.ZoneId.of(if (number % 2 == 0) "Europe/Berlin" else "UTC")
    Seq[Any](
      instant,
      instant.atZone(zone),
      instant.atZone(zone).toLocalDateTime,
      instant.atOffset(java.time.ZoneOffset.ofHours(number % 10)),
      java.time.Duration.ofMillis(number),
      java.time.Period.of(number, 1, 2),
      java.time.YearMonth.of(2000 + number, 5),
      new java.sql.Timestamp(instant.toEpochMilli).getTime,
      new java.util.Date(instant.toEpochMilli).getTime,
      java.sql.Date.valueOf("2024-02-29")
    )
  }

  /** Arrays have no equality, what holds one may have. */
  private final class Key(val bytes: Array[Byte]) extends Serializable {
    override def hashCode: Int = java.util.Arrays.hashCode(bytes)

    override def equals(other: Any): Boolean = other match {
      case key: Key => java.util.Arrays.equals(bytes, key.bytes)
      case _        => false
    }
  }

  private def arrays(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 90, 4).map { number =>
      new Key(Array.fill(3)((number % 6).toByte)) -> Array(Array(number, -number), Array.empty[Int])
    }
    val wrapped =
      setting.context.parallelize(0 until 90, 4).map(number => Array.fill(2)(number % 5L).toSeq -> Array.fill(number % 4)(number.toFloat))
    Canonical.ofAll(
      records.groupByKey().map { case (key, values) => (key.bytes, values.toSeq.sortBy(_(0)(0))) }.collect(),
      wrapped.groupByKey().mapValues(_.toSeq.sortBy(floats => (floats.sum, floats.length))).collect()
    )
  }

  private def rows(setting: Setting): String = {
    val frame = setting.session
      .range(80)
      .selectExpr("id", "cast(id as string) as name", "array(id, id + 1) as several", "struct(id as a, 'b' as b) as part")
    val records = frame.rdd.map(row => row.getString(1).length -> row) ++ setting.context
      .parallelize(0 until 5, 2)
      .map(number => number -> Row(number, null, Seq(Row("nested"))))
    Canonical.ofAll(records.groupByKey(3).mapValues(_.map(_.toString).toSeq.sorted).collect(), records.values.collect().map(_.toString))
  }

  private def ofJava(number: Int): Seq[Any] = Seq[Any](
    java.net.URI.create(s"https://example.org/$number?a=b#c"),
    new java.util.UUID(number, 2),
    java.util.Locale.forLanguageTag("de-AT"),
    java.util.Currency.getInstance("EUR"),
    java.util.Optional.of(s"text $number"),
    java.util.OptionalInt.of(number),
    java.util.BitSet.valueOf(Array(number.toLong)),
    new java.util.concurrent.atomic.AtomicLong(number).get,
    new java.lang.StringBuilder(s"built $number").toString,
    new java.net.InetSocketAddress(java.net.InetAddress.getByAddress(Array[Byte](127, 0, 0, 1)), number).toString,
    java.util.regex.Pattern.compile(s"a{$number}").pattern,
    classOf[Order].getName,
    java.nio.charset.StandardCharsets.UTF_8.name
  )

  private def identities(setting: Setting): String = {
    val found = setting.context.parallelize(0 until 4, 2).map { number =>
      val customer = Order.customer(number)
      (customer, Vector(customer, customer))
    }
    Canonical.ofAll(found.collect().map { case (one, several) => (one, several.forall(_ eq one)) })
  }
}
