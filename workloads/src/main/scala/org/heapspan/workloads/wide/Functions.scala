package org.heapspan.workloads.wide

/** Functions, anonymous classes and what they refer to. */
private[wide] object Functions extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("closures with references to their surroundings", closures),
    Feature("functions as records", functions),
    Feature("functions made of functions", composed),
    Feature("anonymous and inner classes as records", anonymous),
    Feature("a comparator in a record", comparators)
  )

  private final class Surroundings(factor: Int, setting: Setting) extends Serializable {
    @transient private val context = setting.context
    private val customers = Vector.tabulate(5)(Order.customer)

    def run(): Array[(Customer, Int)] = {
      var offset = 3
      val add = (number: Int) => number * factor + offset
      offset = 4
      context.parallelize(0 until 50, 3).map(number => customers(number % customers.size) -> add(number)).reduceByKey(_ + _).collect()
    }
  }

  private def closures(setting: Setting): String = Canonical.ofAll(new Surroundings(11, new Setting(setting.session, setting.folder)).run())

  private def functions(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 40, 4).map { number =>
      val captured = Order.customer(number)
      val function: String => String = text => s"$text of ${captured.name}"
      number % 5 -> function
    }
    Canonical.ofAll(records.groupByKey().mapValues(_.map(_("order")).toSeq.sorted).collect())
  }

  private def composed(setting: Setting): String = {
    val steps = setting.context.parallelize(1 to 40, 4).map { number =>
      val step: Long => Long = _ + number
      number % 3 -> step
    }
    Canonical.ofAll(steps.reduceByKey((first, second) => first.andThen(second)).mapValues(_(0L)).collect())
  }

  private abstract class Animal extends Serializable {
    def sound: String
  }

  private final class Farm(name: String) extends Serializable {
    final class Cow(number: Int) extends Animal {
      override def sound: String = s"moo $number at $name"
    }

    def dog(number: Int): Animal = new Animal {
      override def sound: String = s"wau $number at $name"
    }
  }

  private def anonymous(setting: Setting): String = {
    val farm = new Farm("hill")
    val animals = setting.context
      .parallelize(0 until 40, 4)
      .map(number => number % 5 -> (if (number % 2 == 0) new farm.Cow(number): Animal else farm.dog(number)))
    Canonical.ofAll(animals.groupByKey().mapValues(_.map(_.sound).toSeq.sorted).collect())
  }

  private def comparators(setting: Setting): String = {
    val sets = setting.context.parallelize(0 until 20, 4).map { number =>
      val ordering = scala.math.Ordering.by((customer: Customer) => (customer.country, customer.name)).reverse
      number % 3 -> scala.collection.immutable.TreeSet.from(Seq.tabulate(number)(Order.customer))(ordering)
    }
    Canonical.ofAll(sets.reduceByKey(_ ++ _).mapValues(set => (set + Customer("Zoe", "AT")).toList).collect())
  }
}
