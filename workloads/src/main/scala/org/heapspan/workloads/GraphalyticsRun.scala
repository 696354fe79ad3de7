package org.heapspan.workloads

import org.apache.spark.graphx.{Graph, VertexId}
import org.apache.spark.{SparkConf, SparkContext}

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** The application that runs all algorithms of Graphalytics on its validation graphs and compares them with the outputs that come with
  * these. Its arguments: the file for what was found, a line for each graph and algorithm (`bfs/dir=50 vertices match`, or the first that
  * differs), and the folder of the validation graphs.
  */
object GraphalyticsRun {
  private val Damping = 0.85
  private val Tolerance = 1e-4

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 2, s"${arguments.length} arguments, expected 2: RESULTS GRAPHS")
    val spark = new SparkContext(new SparkConf().setAppName("LDBC Graphalytics"))
    try {
      val found = new GraphalyticsRun(spark, Path.of(arguments(1))).all()
      Files.write(Path.of(arguments(0)), found.map { case (name, outcome) => s"$name=$outcome" }.asJava)
    } finally spark.stop()
  }
}

private final class GraphalyticsRun(spark: SparkContext, folder: Path) {
  import GraphalyticsRun._

  def all(): Seq[(String, String)] =
    Seq("dir", "undir").flatMap(validation) ++ Seq("directed", "undirected").flatMap(example)

  /** The graphs that come for one algorithm each; their parameters are those of the tests of Graphalytics. */
  private def validation(kind: String): Seq[(String, String)] = {
    val directed = kind == "dir"
    def input(algorithm: String) = adjacency(lines(s"$algorithm/$kind-input"))
    def expected(algorithm: String) = lines(s"$algorithm/$kind-output")
    Seq(
      s"bfs/$kind" -> compare(expected("bfs"), Graphalytics.breadthFirstSearch(input("bfs"), 1).view.mapValues(_.toDouble).toMap),
      s"cdlp/$kind" -> compare(expected("cdlp"), whole(Graphalytics.communities(input("cdlp"), directed, 5))),
      s"lcc/$kind" -> compare(expected("lcc"), Graphalytics.clusteringCoefficients(input("lcc"))),
      s"pr/$kind" -> compare(expected("pr"), Graphalytics.pageRank(input("pr"), if (directed) 14 else 26, Damping)),
      s"sssp/$kind" -> compare(
        expected("sssp"),
        Graphalytics.shortestPaths(
          Graphalytics.graph(spark, lines(s"sssp/$kind-input.v"), lines(s"sssp/$kind-input.e"), directed),
          1
        )
      ),
      s"wcc/$kind" -> compareClasses(expected("wcc"), Graphalytics.weaklyConnectedComponents(input("wcc")))
    )
  }

  /** The graph that comes for all algorithms. */
  private def example(kind: String): Seq[(String, String)] = {
    val directed = kind == "directed"
    val name = s"example/example-$kind"
    val graph = Graphalytics.graph(spark, lines(s"$name.v"), lines(s"$name.e"), directed).cache()
    val source = if (directed) 1L else 2L
    def expected(algorithm: String) = lines(s"$name-$algorithm")
    Seq(
      s"$name-BFS" -> compare(expected("BFS"), whole(Graphalytics.breadthFirstSearch(graph, source))),
      s"$name-CDLP" -> compare(expected("CDLP"), whole(Graphalytics.communities(graph, directed, 2))),
      s"$name-LCC" -> compare(expected("LCC"), Graphalytics.clusteringCoefficients(graph)),
      s"$name-PR" -> compare(expected("PR"), Graphalytics.pageRank(graph, 2, Damping)),
      s"$name-SSSP" -> compare(expected("SSSP"), Graphalytics.shortestPaths(graph, source)),
      s"$name-WCC" -> compareClasses(expected("WCC"), Graphalytics.weaklyConnectedComponents(graph))
    )
  }

  private def lines(name: String): Seq[String] =
    Files.readAllLines(folder.resolve(name)).asScala.toSeq.map(_.trim).filter(_.nonEmpty)

  /** A line for each vertex: its number and those of its neighbours. A graph that is not directed names each edge at both ends. */
  private def adjacency(rows: Seq[String]): Graph[Unit, Double] = {
    val split = rows.map(_.split("\\s+").toSeq)
    val edges = split.flatMap(row => row.tail.map(to => s"${row.head} $to"))
    Graphalytics.graph(spark, split.map(_.head), edges, directed = true)
  }

  private def whole(values: Map[VertexId, Long]): Map[VertexId, Double] = values.view.mapValues(_.toDouble).toMap

  private def parse(rows: Seq[String]): Map[VertexId, Double] = rows.map { row =>
    val Seq(vertex, value) = row.split("\\s+").toSeq: @unchecked
    vertex.toLong -> (if (value.equalsIgnoreCase("infinity")) Double.PositiveInfinity else value.toDouble)
  }.toMap

  private def compare(rows: Seq[String], found: Map[VertexId, Double]): String = {
    val expected = parse(rows)
    val wrong = expected.toSeq.sortBy(_._1).find { case (vertex, value) =>
      val other = found.getOrElse(vertex, Double.NaN)
      other != value && !(math.abs(other - value) <= Tolerance * math.abs(value))
    }
    wrong match {
      case Some((vertex, value))               => s"vertex $vertex: ${found.get(vertex)}, expected $value"
      case None if found.size != expected.size => s"${found.size} vertices, expected ${expected.size}"
      case None                                => s"${expected.size} vertices match"
    }
  }

  /** Which number stands for a component does not matter. */
  private def compareClasses(rows: Seq[String], found: Map[VertexId, Long]): String = {
    val expected = rows.map { row =>
      val Seq(vertex, value) = row.split("\\s+").toSeq: @unchecked
      vertex.toLong -> value.toLong
    }.toMap
    def parts(of: Map[VertexId, Long]) = of.groupBy(_._2).values.map(_.keySet).toSet
    if (parts(expected) == parts(found)) s"${expected.size} vertices match"
    else s"${parts(found).size} components, expected ${parts(expected).size}"
  }
}
