package org.heapspan.workloads.wide

import java.nio.charset.StandardCharsets
import java.security.MessageDigest
import java.util.HexFormat
import scala.collection.immutable
import scala.collection.immutable.SeqMap
import scala.collection.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

/** Texts of values that say all of them, with their classes, and are equal where the values are. */
private[wide] object Canonical {
  private val LongestText = 300
  private val LongestArray = 64

  /** All values, in whatever order they come. */
  def ofAll(values: IterableOnce[Any]*): String = {
    val texts = values.flatMap(_.iterator.map(of)).toVector.sorted
    s"${texts.size}: ${shortened(texts.mkString(", "))}"
  }

  /** All values, in their order. */
  def inOrder(values: IterableOnce[Any]): String = {
    val texts = values.iterator.map(of).toVector
    s"${texts.size}: ${shortened(texts.mkString(", "))}"
  }

  def of(value: Any): String = value match {
    case null                                  => "null"
    case text: String                          => "'" + text + "'"
    case array: Array[_]                       => ofArray(array)
    case failure: Throwable                    => ofThrowable(failure)
    case map: scala.collection.Map[_, _]       => name(map) + entries(map)
    case set: scala.collection.Set[_]          => name(set) + elements(set, set.isInstanceOf[SortedSet[_]])
    case several: scala.collection.Iterable[_] => name(several) + elements(several, inOrder = true)
    case map: java.util.Map[_, _]              => name(map) + elements(map.asScala, map.isInstanceOf[java.util.SortedMap[_, _]])
    case set: java.util.Set[_]                 => name(set) + elements(set.asScala, set.isInstanceOf[java.util.SortedSet[_]])
    case several: java.util.Collection[_]      => name(several) + elements(several.asScala, inOrder = true)
    case product: Product                      => product.productPrefix + elements(product.productIterator.toSeq, inOrder = true)
    case other                                 => other.toString
  }

  /** A number with as many digits as do not depend on the order of additions. */
  def rounded(value: Double, digits: Int = 6): String = s"%.${digits - 1}e".formatLocal(java.util.Locale.ROOT, value)

  private def name(value: Any): String = value match {
    case _: List[_] => "List"
    // An empty one is an object of a class of its own, which Java's serialization does not give back.
    case _: immutable.Queue[_] => "Queue"
    case other                 => other.getClass.getName.split("[.]").last.replaceAll("\\$\\d*$", "")
  }

  private def entries(map: scala.collection.Map[_, _]): String =
    elements(map, map.isInstanceOf[SortedMap[_, _]] || map.isInstanceOf[SeqMap[_, _]])

  private def elements(values: scala.collection.Iterable[_], inOrder: Boolean): String = {
    val texts = values.iterator.map(of).toVector
    (if (inOrder) texts else texts.sorted).mkString("(", " ", ")")
  }

  private def ofArray(array: Array[_]): String = {
    val texts = array.iterator.take(LongestArray).map(of).mkString("[", " ", "]")
    val rest = if (array.length > LongestArray) s" ... ${array.length}, ${scala.util.hashing.MurmurHash3.arrayHash(array)}" else ""
    array.getClass.getComponentType.getName + texts + rest
  }

  private def ofThrowable(failure: Throwable): String = {
    // How many callers there are differs with who writes records: Spark or another shuffle manager.
    val at = failure.getStackTrace.headOption.fold("")(element => s" at ${element.getClassName.split('$').head}:${element.getLineNumber}")
    val below = Option(failure.getCause).fold("")(cause => s" caused by ${of(cause)}")
    s"$failure$at$below${failure.getSuppressed.map(of).mkString(" ", " ", "")}"
  }

  private def shortened(text: String): String =
    if (text.length <= LongestText) text
    else {
      val digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8))
      s"${text.take(LongestText / 2)} ... ${text.length} characters, ${HexFormat.of().formatHex(digest).take(16)}"
    }
}
