package org.heapspan.workloads.wide

import java.util.{concurrent => parallel}
import scala.collection.immutable.{ListMap, ListSet, LongMap, Queue, TreeMap, TreeSet, VectorMap}
import scala.collection.{immutable, mutable}
import scala.jdk.CollectionConverters._

/** Records that are collections. */
private[wide] object Collections extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("Scala's immutable collections", setting => Values.travelled(setting)(immutableOnes)),
    Feature("Scala's mutable collections", setting => Values.travelled(setting)(mutableOnes)),
    Feature("Scala's collections that are not Serializable or lazy", lazyOnes),
    Feature("Java's collections", setting => Values.travelled(setting)(ofJava)),
    Feature("Java's collections that cannot be changed", setting => Values.travelled(setting)(unchangeable)),
    Feature("Java's concurrent collections", setting => Values.travelled(setting)(concurrent)),
    Feature("collections that wrap those of the other language", setting => Values.travelled(setting)(wrapped)),
    Feature("collections of collections", setting => Values.travelled(setting)(nested))
  )

  private def some(number: Int): Seq[Int] = 0 until number % 9 map (_ * number)

  private def immutableOnes(number: Int): Seq[Any] = Seq[Any](
    some(number).toList,
    some(number).toVector,
    some(number).toSet,
    Queue.from(some(number)),
    TreeSet.from(some(number)),
    TreeMap.from(some(number).map(each => s"$each" -> each)),
    ListMap.from(some(number).map(each => each -> Order.customer(each))),
    ListSet.from(some(number)),
    LongMap.from(some(number).map(each => each.toLong -> s"$each")),
    immutable.BitSet.fromSpecific(some(number)),
    immutable.ArraySeq.from(some(number)),
    immutable.IntMap.from(some(number).map(each => each -> "x")),
    0 until number,
    'a' to 'e',
    immutable.NumericRange(1L, number.toLong, 3L),
    some(number).map(each => each -> s"$each").toMap
  )

  private def mutableOnes(number: Int): Seq[Any] = Seq[Any](
    mutable.ArrayBuffer.from(some(number)),
    mutable.ListBuffer.from(some(number)),
    mutable.HashMap.from(some(number).map(each => each -> s"$each")),
    mutable.LinkedHashMap.from(some(number).map(each => each -> s"$each")).toSeq,
    mutable.TreeMap.from(some(number).map(each => each -> s"$each")),
    mutable.HashSet.from(some(number)),
    mutable.LinkedHashSet.from(some(number)).toSeq,
    mutable.ArrayDeque.from(some(number)),
    mutable.Queue.from(some(number)),
    mutable.Stack.from(some(number)),
    mutable.BitSet.fromSpecific(some(number)),
    mutable.ArraySeq.make(Array(number, 2)),
    mutable.LongMap.from(some(number).map(each => each.toLong -> "y")),
    new mutable.StringBuilder(s"built $number").toString
  )

  private def lazyOnes(setting: Setting): String = {
    val records = setting.context.parallelize(0 until 40, 4).map { number =>
      val evaluated = LazyList.from(number).take(5)
      evaluated.size
      number % 3 -> (evaluated, VectorMap(number -> "first", -1 -> "last"): Map[Int, String])
    }
    val found = records.groupByKey().mapValues(_.map { case (list, map) => (list.toList, map.toSeq.sorted) }.toSeq.sortBy(_._1.head))
    Canonical.ofAll(found.collect())
  }

  private def ofJava(number: Int): Seq[Any] = {
    val elements = some(number).map(each => s"element $each").asJava
    val backwards = new java.util.TreeMap[String, Integer](java.util.Comparator.reverseOrder[String]())
    some(number).foreach(each => backwards.put(s"$each", each))
    Seq[Any](
      new java.util.ArrayList(elements),
      new java.util.LinkedList(elements),
      new java.util.HashSet(elements),
      new java.util.LinkedHashSet(elements).asScala.toSeq,
      new java.util.TreeSet(elements),
      new java.util.ArrayDeque(elements),
      new java.util.Vector(elements),
      backwards,
      new java.util.HashMap(backwards),
      new java.util.LinkedHashMap(backwards).asScala.toSeq,
      java.util.Arrays.asList("a", s"$number"),
      java.util.Arrays.asList(1, 2, number).iterator.next
    )
  }

  private def unchangeable(number: Int): Seq[Any] = Seq[Any](
    java.util.List.of(number, 2, 3),
    java.util.Set.of(number, -1),
    java.util.Map.of("a", number),
    java.util.Collections.emptyList[String](),
    java.util.Collections.singletonMap("one", number),
    java.util.Collections.nCopies(3, s"$number"),
    java.util.Collections.unmodifiableList(new java.util.ArrayList(java.util.List.of(number))),
    java.util.Collections.synchronizedList(new java.util.ArrayList(java.util.List.of(number)))
  )

  private def concurrent(number: Int): Seq[Any] = {
    val elements = some(number).asJava
    Seq[Any](
      new parallel.ConcurrentHashMap(java.util.Map.of(number, "a", -1, "b")),
      new parallel.ConcurrentSkipListMap(java.util.Map.of(number, "a", -1, "b")),
      new parallel.CopyOnWriteArrayList(elements),
      new parallel.ConcurrentLinkedQueue(elements),
      new parallel.LinkedBlockingDeque(elements)
    )
  }

  private def wrapped(number: Int): Seq[Any] = Seq[Any](
    some(number).toList.asJava.asScala.toList,
    new java.util.ArrayList(some(number).asJava).asScala.toList,
    Map(number -> "a").asJava.get(number),
    some(number).asJava,
    new java.util.HashMap(java.util.Map.of(number, "a")).asScala
  )

  private def nested(number: Int): Any =
    Map[String, Any](
      "orders" -> List.tabulate(number % 3)(Order.numbered),
      "table" -> Vector.fill(2)(Array.fill(2)(Option(number))),
      "none" -> Nil
    )
}
