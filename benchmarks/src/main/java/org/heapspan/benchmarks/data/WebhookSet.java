package org.heapspan.benchmarks.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.data.events.CheckRunEvent;
import org.heapspan.benchmarks.data.events.CheckSuiteEvent;
import org.heapspan.benchmarks.data.events.CommitCommentEvent;
import org.heapspan.benchmarks.data.events.CreateEvent;
import org.heapspan.benchmarks.data.events.DeleteEvent;
import org.heapspan.benchmarks.data.events.DeploymentEvent;
import org.heapspan.benchmarks.data.events.DeploymentStatusEvent;
import org.heapspan.benchmarks.data.events.DiscussionCommentEvent;
import org.heapspan.benchmarks.data.events.DiscussionEvent;
import org.heapspan.benchmarks.data.events.ForkEvent;
import org.heapspan.benchmarks.data.events.InstallationEvent;
import org.heapspan.benchmarks.data.events.InstallationRepositoriesEvent;
import org.heapspan.benchmarks.data.events.IssueCommentEvent;
import org.heapspan.benchmarks.data.events.IssuesEvent;
import org.heapspan.benchmarks.data.events.LabelEvent;
import org.heapspan.benchmarks.data.events.MemberEvent;
import org.heapspan.benchmarks.data.events.MilestoneEvent;
import org.heapspan.benchmarks.data.events.PullRequestEvent;
import org.heapspan.benchmarks.data.events.PullRequestReviewCommentEvent;
import org.heapspan.benchmarks.data.events.PullRequestReviewEvent;
import org.heapspan.benchmarks.data.events.PushEvent;
import org.heapspan.benchmarks.data.events.ReleaseEvent;
import org.heapspan.benchmarks.data.events.StarEvent;
import org.heapspan.benchmarks.data.events.StatusEvent;
import org.heapspan.benchmarks.data.events.WatchEvent;
import org.heapspan.benchmarks.data.events.WebhookEvent;
import org.heapspan.benchmarks.data.events.WorkflowJobEvent;
import org.heapspan.benchmarks.data.events.WorkflowRunEvent;
import org.heapspan.benchmarks.data.github.App;
import org.heapspan.benchmarks.data.github.AuthorAssociation;
import org.heapspan.benchmarks.data.github.Branch;
import org.heapspan.benchmarks.data.github.BranchReference;
import org.heapspan.benchmarks.data.github.CheckOutput;
import org.heapspan.benchmarks.data.github.CheckRun;
import org.heapspan.benchmarks.data.github.CheckSuite;
import org.heapspan.benchmarks.data.github.Comment;
import org.heapspan.benchmarks.data.github.Commit;
import org.heapspan.benchmarks.data.github.Deployment;
import org.heapspan.benchmarks.data.github.DeploymentStatus;
import org.heapspan.benchmarks.data.github.Discussion;
import org.heapspan.benchmarks.data.github.DiscussionCategory;
import org.heapspan.benchmarks.data.github.Installation;
import org.heapspan.benchmarks.data.github.Issue;
import org.heapspan.benchmarks.data.github.Label;
import org.heapspan.benchmarks.data.github.License;
import org.heapspan.benchmarks.data.github.Link;
import org.heapspan.benchmarks.data.github.Milestone;
import org.heapspan.benchmarks.data.github.Organization;
import org.heapspan.benchmarks.data.github.Person;
import org.heapspan.benchmarks.data.github.PullRequest;
import org.heapspan.benchmarks.data.github.Reactions;
import org.heapspan.benchmarks.data.github.Release;
import org.heapspan.benchmarks.data.github.Repository;
import org.heapspan.benchmarks.data.github.Review;
import org.heapspan.benchmarks.data.github.Step;
import org.heapspan.benchmarks.data.github.User;
import org.heapspan.benchmarks.data.github.Workflow;
import org.heapspan.benchmarks.data.github.WorkflowJob;
import org.heapspan.benchmarks.data.github.WorkflowRun;

/**
 * GitHub webhook events as typed objects, parsed from the examples GitHub publishes (@octokit/webhooks-examples). The 206
 * examples of the commonest 27 events are parsed again and again, with other names of people and repositories each time,
 * until there are {@value DataSet#CHUNK_RECORDS}.
 */
final class WebhookSet implements DataSet {
    private static final Map<String, Class<? extends WebhookEvent>> EVENTS = Map.ofEntries(
            Map.entry("check_run", CheckRunEvent.class),
            Map.entry("check_suite", CheckSuiteEvent.class),
            Map.entry("commit_comment", CommitCommentEvent.class),
            Map.entry("create", CreateEvent.class),
            Map.entry("delete", DeleteEvent.class),
            Map.entry("deployment", DeploymentEvent.class),
            Map.entry("deployment_status", DeploymentStatusEvent.class),
            Map.entry("discussion", DiscussionEvent.class),
            Map.entry("discussion_comment", DiscussionCommentEvent.class),
            Map.entry("fork", ForkEvent.class),
            Map.entry("installation", InstallationEvent.class),
            Map.entry("installation_repositories", InstallationRepositoriesEvent.class),
            Map.entry("issue_comment", IssueCommentEvent.class),
            Map.entry("issues", IssuesEvent.class),
            Map.entry("label", LabelEvent.class),
            Map.entry("member", MemberEvent.class),
            Map.entry("milestone", MilestoneEvent.class),
            Map.entry("pull_request", PullRequestEvent.class),
            Map.entry("pull_request_review", PullRequestReviewEvent.class),
            Map.entry("pull_request_review_comment", PullRequestReviewCommentEvent.class),
            Map.entry("push", PushEvent.class),
            Map.entry("release", ReleaseEvent.class),
            Map.entry("star", StarEvent.class),
            Map.entry("status", StatusEvent.class),
            Map.entry("watch", WatchEvent.class),
            Map.entry("workflow_job", WorkflowJobEvent.class),
            Map.entry("workflow_run", WorkflowRunEvent.class));

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String title() {
        return "GitHub webhook event, typed";
    }

    @Override
    public Object[] records() {
        List<Example> examples = new ArrayList<>();
        for (JsonNode kind : JsonFiles.read("js/octokit-webhooks.json")) {
            Class<? extends WebhookEvent> type = EVENTS.get(kind.get("name").textValue());
            if (type != null) {
                for (JsonNode example : kind.get("examples")) {
                    examples.add(new Example(type, example.toString()));
                }
            }
        }
        ObjectMapper mapper = mapper();
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            // Neighbours are of different kinds, as in a real stream of events: 83 has no factor in common with 206.
            Example example = examples.get((int) (i * 83L % examples.size()));
            records[i] = example.parse(mapper, i / examples.size());
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(
                App.class,
                Branch.class,
                BranchReference.class,
                CheckOutput.class,
                CheckRun.class,
                CheckRunEvent.class,
                CheckSuite.class,
                CheckSuiteEvent.class,
                Comment.class,
                Commit.class,
                CommitCommentEvent.class,
                CreateEvent.class,
                DeleteEvent.class,
                Deployment.class,
                DeploymentEvent.class,
                DeploymentStatus.class,
                DeploymentStatusEvent.class,
                Discussion.class,
                DiscussionCategory.class,
                DiscussionCommentEvent.class,
                DiscussionEvent.class,
                ForkEvent.class,
                Installation.class,
                InstallationEvent.class,
                InstallationRepositoriesEvent.class,
                Issue.class,
                IssueCommentEvent.class,
                IssuesEvent.class,
                Label.class,
                LabelEvent.class,
                License.class,
                Link.class,
                MemberEvent.class,
                Milestone.class,
                MilestoneEvent.class,
                Organization.class,
                Person.class,
                PullRequest.class,
                PullRequestEvent.class,
                PullRequestReviewCommentEvent.class,
                PullRequestReviewEvent.class,
                PushEvent.class,
                Reactions.class,
                Release.class,
                ReleaseEvent.class,
                Repository.class,
                Review.class,
                StarEvent.class,
                StatusEvent.class,
                Step.class,
                User.class,
                WatchEvent.class,
                Workflow.class,
                WorkflowJob.class,
                WorkflowJobEvent.class,
                WorkflowRun.class,
                WorkflowRunEvent.class,
                AuthorAssociation.class,
                ArrayList.class,
                LinkedHashMap.class,
                Instant.class);
    }

    private static ObjectMapper mapper() {
        SimpleModule module = new SimpleModule().addDeserializer(Instant.class, new InstantDeserializer());
        return new ObjectMapper()
                .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .registerModule(module);
    }

    /** One payload of the published examples. */
    private record Example(Class<? extends WebhookEvent> type, String json) {
        WebhookEvent parse(ObjectMapper mapper, int round) {
            String varied = json.replace("Hello-World", "Hello-World-" + round)
                    .replace("Codertocat", "Codertocat" + round)
                    .replace("octo-org", "octo-org-" + round);
            try {
                return mapper.readValue(varied, type);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("an example of " + type.getSimpleName() + " does not parse", e);
            }
        }
    }

    /** GitHub writes times as ISO 8601 text, or as seconds since 1970. */
    private static final class InstantDeserializer extends JsonDeserializer<Instant> {
        @Override
        public Instant deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
                return Instant.ofEpochSecond(parser.getLongValue());
            }
            String text = parser.getText();
            if (text.indexOf(' ') > 0) {
                // Some old payloads: 2018-04-25 20:42:10
                text = text.replace(' ', 'T') + "Z";
            }
            return OffsetDateTime.parse(text).toInstant();
        }
    }
}
