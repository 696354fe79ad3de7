package org.heapspan.workloads.wide

import java.time.{Instant, LocalDate}

/** What a shop has sold: a record with parts of many kinds, the same for the same number. */
private[wide] case class Order(
    id: Long,
    customer: Customer,
    lines: List[Line],
    placed: Instant,
    delivery: Option[LocalDate],
    notes: Map[String, String],
    weights: Array[Double]
) {
  def total: Long = lines.map(line => line.count * line.cents).sum

  override def toString: String = Canonical.of(this)
}

private[wide] case class Customer(name: String, country: String)

private[wide] case class Line(article: String, count: Int, cents: Long)

private[wide] object Order {
  private val Countries = Vector("DE", "FR", "IT", "PL")

  def numbered(number: Int): Order = Order(
    number.toLong * 7,
    customer(number % 37),
    List.tabulate(number % 4)(line => Line(s"article ${(number * 31 + line) % 53}", 1 + line, 100L + number % 91)),
    Instant.ofEpochSecond(1_700_000_000L + number, number),
    Option.when(number % 3 == 0)(LocalDate.ofEpochDay(20_000L + number)),
    if (number % 5 == 0) Map("gift" -> s"for $number", "colour" -> "blau ü") else Map.empty,
    Array.tabulate(number % 6)(_ / 8.0 + number)
  )

  def customer(number: Int): Customer = Customer(s"customer $number", Countries(number % Countries.size))
}
