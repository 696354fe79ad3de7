import org.apache.spark.{SparkConf, SparkContext, SparkEnv}

/** 08: case classes in groups and joins of a Scala program travel as object images; nothing is registered. */
object Example08Votes {
  case class Vote(voter: Int, candidate: Int)

  case class Election(candidate: Int, votes: Seq[Vote], ofCandidates: Int)

  private val madeUp = for (voter <- 1 to 300; choice <- 1 to 5) yield s"$voter\t${(voter * choice) % 40 + 1}"

  def main(arguments: Array[String]): Unit = {
    val spark = new SparkContext(new SparkConf().setAppName("08 votes"))
    val lines = arguments.headOption.map(spark.textFile(_)).getOrElse(spark.parallelize(madeUp))
    val votes = lines
      .filter(!_.startsWith("#"))
      .map(_.split("\t"))
      .map(pair => Vote(pair(0).toInt, pair(1).toInt))
      .cache()

    val received = votes.groupBy(_.candidate)
    // Votes by those who were voted on themselves.
    val amongCandidates = votes.keyBy(_.voter).join(received.mapValues(_.size)).map(_._2._1.candidate).countByValue()
    val known = spark.broadcast(amongCandidates)
    val elections = received.map { case (candidate, votes) =>
      Election(candidate, votes.toSeq.sortBy(_.voter), known.value.getOrElse(candidate, 0L).toInt)
    }

    val first = elections.sortBy(election => (-election.votes.size, election.candidate)).take(3)
    println(s"${votes.count()} votes on ${received.count()} candidates")
    for (election <- first) {
      println(s"candidate ${election.candidate}: ${election.votes.size} votes, ${election.ofCandidates} of them by candidates")
    }
    println(s"serializer: ${SparkEnv.get.serializer.getClass.getSimpleName}")
    spark.stop()
  }
}
