package org.heapspan.workloads

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.time.{Instant, OffsetDateTime}
import scala.jdk.CollectionConverters._

/** Something that happened on GitHub, as its webhooks tell it: what one would keep of them to learn who works on what. */
case class Event(
    id: Long,
    kind: String,
    action: Option[String],
    sender: User,
    repository: Option[Repository],
    payload: Payload
)

case class User(login: String, id: Long, kind: String)

case class Repository(id: Long, fullName: String, isPrivate: Boolean, stars: Int, forks: Int, language: Option[String])

case class Label(id: Long, name: String, color: String)

case class Comment(id: Long, user: User, body: String, createdAt: Option[Instant])

case class Commit(id: String, message: String, timestamp: Option[Instant], author: String, added: List[String], modified: List[String])

case class Issue(
    id: Long,
    number: Int,
    title: String,
    user: User,
    labels: List[Label],
    state: String,
    locked: Boolean,
    comments: Int,
    createdAt: Option[Instant],
    updatedAt: Option[Instant]
)

case class Branch(label: String, ref: String, sha: String)

case class PullRequest(issue: Issue, head: Branch, base: Branch, draft: Boolean, merged: Boolean, additions: Int, deletions: Int)

case class Release(id: Long, tagName: String, branch: String, author: User, draft: Boolean, prerelease: Boolean)

case class Check(id: Long, name: String, sha: String, status: String, conclusion: Option[String], startedAt: Option[Instant])

/** What belongs to an event of its kind. */
sealed trait Payload
case class IssueChange(issue: Issue, comment: Option[Comment]) extends Payload
case class PullRequestChange(number: Int, pullRequest: PullRequest) extends Payload
case class Push(ref: String, before: String, after: String, forced: Boolean, commits: Vector[Commit]) extends Payload
case class ReleaseChange(release: Release) extends Payload
case class CheckChange(check: Check) extends Payload
case class OtherChange(facts: Map[String, String]) extends Payload

/** Makes events of the examples that GitHub publishes (`octokit-webhooks.json`, from `@octokit/webhooks-examples`). */
object Event {

  /** All events of the file, in its order, numbered from 0. */
  def parseAll(json: String): Vector[Event] = {
    val events = for {
      kind <- new ObjectMapper().readTree(json).elements().asScala
      example <- kind.get("examples").elements().asScala
      if example.has("sender")
    } yield (kind.get("name").asText(), example)
    events.zipWithIndex.map { case ((kind, example), id) => event(id, kind, example) }.toVector
  }

  private def event(id: Long, kind: String, json: JsonNode): Event =
    Event(id, kind, maybeText(json, "action"), user(json.get("sender")), child(json, "repository").map(repository), payload(json))

  private def payload(json: JsonNode): Payload =
    if (json.has("pull_request")) PullRequestChange(number(json.get("pull_request"), "number"), pullRequest(json.get("pull_request")))
    else if (json.has("issue")) IssueChange(issue(json.get("issue")), child(json, "comment").map(comment))
    else if (json.has("commits")) push(json)
    else if (json.has("release")) ReleaseChange(release(json.get("release")))
    else if (json.has("check_run")) CheckChange(check(json.get("check_run")))
    else OtherChange(facts(json))

  private def push(json: JsonNode) = Push(
    text(json, "ref"),
    text(json, "before"),
    text(json, "after"),
    json.path("forced").asBoolean(),
    (elements(json, "commits") ++ child(json, "head_commit")).map(commit).toVector
  )

  private def facts(json: JsonNode): Map[String, String] = json
    .properties()
    .asScala
    .collect { case field if field.getValue.isValueNode => field.getKey -> field.getValue.asText() }
    .toMap

  private def user(json: JsonNode) = User(text(json, "login"), json.path("id").asLong(), text(json, "type"))

  private def repository(json: JsonNode) = Repository(
    json.path("id").asLong(),
    text(json, "full_name"),
    json.path("private").asBoolean(),
    number(json, "stargazers_count"),
    number(json, "forks_count"),
    maybeText(json, "language")
  )

  private def issue(json: JsonNode) = Issue(
    json.path("id").asLong(),
    number(json, "number"),
    text(json, "title"),
    user(json.path("user")),
    elements(json, "labels").map(label).toList,
    text(json, "state"),
    json.path("locked").asBoolean(),
    number(json, "comments"),
    time(json, "created_at"),
    time(json, "updated_at")
  )

  private def pullRequest(json: JsonNode) = PullRequest(
    issue(json),
    branch(json.path("head")),
    branch(json.path("base")),
    json.path("draft").asBoolean(),
    json.path("merged").asBoolean(),
    number(json, "additions"),
    number(json, "deletions")
  )

  private def branch(json: JsonNode) = Branch(text(json, "label"), text(json, "ref"), text(json, "sha"))

  private def label(json: JsonNode) = Label(json.path("id").asLong(), text(json, "name"), text(json, "color"))

  private def comment(json: JsonNode) =
    Comment(json.path("id").asLong(), user(json.path("user")), text(json, "body"), time(json, "created_at"))

  private def commit(json: JsonNode) = Commit(
    text(json, "id"),
    text(json, "message"),
    time(json, "timestamp"),
    text(json.path("author"), "name"),
    names(json, "added"),
    names(json, "modified")
  )

  private def release(json: JsonNode) = Release(
    json.path("id").asLong(),
    text(json, "tag_name"),
    text(json, "target_commitish"),
    user(json.path("author")),
    json.path("draft").asBoolean(),
    json.path("prerelease").asBoolean()
  )

  private def check(json: JsonNode) = Check(
    json.path("id").asLong(),
    text(json, "name"),
    text(json, "head_sha"),
    text(json, "status"),
    maybeText(json, "conclusion"),
    time(json, "started_at")
  )

  private def text(json: JsonNode, field: String): String = json.path(field).asText("")

  private def maybeText(json: JsonNode, field: String): Option[String] = child(json, field).map(_.asText())

  private def number(json: JsonNode, field: String): Int = json.path(field).asInt()

  private def time(json: JsonNode, field: String): Option[Instant] =
    maybeText(json, field).map(text => if (text.contains("T")) OffsetDateTime.parse(text).toInstant else Instant.EPOCH)

  private def names(json: JsonNode, field: String): List[String] = elements(json, field).map(_.asText()).toList

  private def child(json: JsonNode, field: String): Option[JsonNode] = Option(json.get(field)).filterNot(_.isNull)

  private def elements(json: JsonNode, field: String): Iterator[JsonNode] = json.path(field).elements().asScala
}
