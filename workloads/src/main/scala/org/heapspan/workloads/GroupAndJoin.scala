package org.heapspan.workloads

import org.apache.spark.SparkContext

/** A person who is in the events, with what is known of them elsewhere: the other side of the join. */
case class Profile(user: User, followers: Int, teams: List[String])

/** Events grouped by the person who caused them, and joined to what is known of that person and of the repository. */
object GroupAndJoin extends Workload {
  private val Events = 400000

  /** Most people cause few events, and most repositories see few. */
  private val EventsOfPerson = 3
  private val EventsOfRepository = 4

  override def name = "group-join"
  override def title = "Group and join of events"

  override def run(spark: SparkContext, data: Data, scale: Double): String = {
    val count = (Events * scale).toInt
    val people = count / EventsOfPerson
    val repositories = count / EventsOfRepository
    val examples = spark.broadcast(Event.parseAll(data.text("octokit-webhooks.json")))
    val events = spark.range(0, count, 1, data.partitions).map { id =>
      val example = examples.value((id * 83 % examples.value.size).toInt)
      example.copy(id = id, sender = example.sender.copy(id = id * 31 % people))
    }
    val profiles = spark.range(0, people, 1, data.partitions).map { id =>
      val example = examples.value((id % examples.value.size).toInt)
      (id.toLong, Profile(example.sender.copy(id = id), (id % 97).toInt, List("team-" + id % 7, "team-" + id % 11)))
    }
    val byPerson = events.map(event => (event.sender.id, event)).groupByKey(data.partitions)
    val busiest = byPerson.join(profiles).flatMap { case (_, (caused, profile)) =>
      caused.map(event => (event.id * 17 % repositories, (profile, event)))
    }
    val byRepository = busiest.join(
      spark.range(0, repositories, 1, data.partitions).map(id => (id.toLong, examples.value((id % examples.value.size).toInt).repository)),
      data.partitions
    )
    val (joined, followers, named) = byRepository
      .map { case (_, ((profile, event), repository)) =>
        (1L, profile.followers.toLong, event.sender.login.length.toLong + repository.fold(0)(_.fullName.length))
      }
      .treeReduce((a, b) => (a._1 + b._1, a._2 + b._2, a._3 + b._3))
    examples.destroy()
    s"$joined joined, $followers followers, $named characters"
  }
}
