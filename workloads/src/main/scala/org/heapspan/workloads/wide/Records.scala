package org.heapspan.workloads.wide

/** Records that are deep, large, or change while they are written. */
private[wide] object Records extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("deep records", deep(600)),
    Feature("very deep records", deep(10_000)),
    Feature("large records", large),
    Feature("records with cycles", cycles),
    Feature("records that are reused", reused),
    Feature("records that the reader changes", changed),
    Feature("classes that are not Serializable", notSerializable),
    Feature("classes with hooks of Java serialization", hooks)
  )

  private final class Node(val number: Int, val next: Node) extends Serializable {
    def text: String = {
      var (count, sum, node) = (0, 0L, this)
      while (node != null) {
        count += 1
        sum += node.number
        node = node.next
      }
      s"$count nodes, $sum"
    }
  }

  private def deep(depth: Int)(setting: Setting): String = {
    val lists = setting.context
      .parallelize(0 until 8, 4)
      .map(number => number % 3 -> (1 to depth).foldLeft(null: Node)((next, each) => new Node(each * number, next)))
    Canonical.ofAll(lists.groupByKey(2).mapValues(_.map(_.text).toSeq.sorted).collect())
  }

  private def large(setting: Setting): String = {
    val arrays = setting.context
      .parallelize(0 until 2, 2)
      .map(number => number % 2 -> (s"large $number", Array.tabulate(2_500_000)(_.toLong * (number + 1))))
    Canonical.ofAll(
      arrays.groupByKey(2).mapValues(_.map { case (name, array) => (name, array.length, array.sum) }.toSeq.sortBy(_._1)).collect()
    )
  }

  private final class Person(val name: String) extends Serializable {
    var friends: List[Person] = Nil
    var self: AnyRef = this
  }

  private def cycles(setting: Setting): String = {
    val people = setting.context.parallelize(0 until 40, 4).map { number =>
      val (one, other) = (new Person(s"one $number"), new Person(s"other $number"))
      one.friends = List(other, one)
      other.friends = List(one)
      number % 5 -> one
    }
    Canonical.ofAll(
      people
        .groupByKey()
        .flatMap(_._2)
        .map(one => (one.name, one.self eq one, one.friends(1) eq one, one.friends.head.friends.head eq one, one.friends.head.name))
        .collect()
    )
  }

  private final class Counter extends Serializable {
    var value = 0
  }

  /** A text that an iterator changes after it has handed out what is in it. */
  private def reused(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 4, 4).mapPartitions { numbers =>
      val text = new StringBuilder
      numbers.flatMap(number =>
        Iterator.tabulate(100) { index =>
          text.clear()
          text.append(number).append(' ').append(index)
          (index % 7, text.toString)
        }
      )
    }
    Canonical.ofAll(records.groupByKey().mapValues(_.toSeq.sorted).collect())
  }

  private def changed(setting: Setting): String = {
    val counters = setting.context
      .parallelize(0 until 40, 4)
      .map(number => number % 4 -> { val counter = new Counter; counter.value = number; counter })
      .partitionBy(new org.apache.spark.HashPartitioner(4))
    val increased = counters.mapValues { counter => counter.value += 1000; counter }
    Canonical.inOrder(Seq(increased, increased, counters).map(each => each.values.map(_.value.toLong).sum()))
  }

  private final class Plain(val name: String, val value: Double) {
    override def toString: String = s"$name is $value"
  }

  private def notSerializable(setting: Setting): String =
    Canonical.ofAll(
      setting.context
        .parallelize(0 until 40, 4)
        .map(number => number % 6 -> new Plain(s"plain $number", number / 4.0))
        .groupByKey()
        .mapValues(_.map(_.toString).toSeq.sorted)
        .collect()
    )

  private final class Hooked(var name: String) extends Serializable {
    @transient private var length = name.length

    private def writeObject(out: java.io.ObjectOutputStream): Unit = {
      out.defaultWriteObject()
      out.writeInt(name.length * 2)
    }

    private def readObject(in: java.io.ObjectInputStream): Unit = {
      in.defaultReadObject()
      length = in.readInt() / 2
    }

    override def toString: String = s"$name of $length"
  }

  private final class Outside(var name: String) extends java.io.Externalizable {
    def this() = this("")

    override def writeExternal(out: java.io.ObjectOutput): Unit = out.writeUTF(name)

    override def readExternal(in: java.io.ObjectInput): Unit = name = in.readUTF()

    override def toString: String = s"outside $name"
  }

  private def hooks(setting: Setting): String =
    Canonical.ofAll(
      setting.context
        .parallelize(0 until 40, 4)
        .map(number => number % 6 -> (new Hooked(s"hooked $number"), new Outside(s"$number")))
        .groupByKey()
        .mapValues(_.map(_._2.toString).toSeq.sorted)
        .collect()
    )
}
