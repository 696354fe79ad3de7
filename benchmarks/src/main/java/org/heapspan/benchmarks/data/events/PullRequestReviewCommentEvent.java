package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Comment;
import org.heapspan.benchmarks.data.github.PullRequest;

/** A pull request review comment event, as GitHub sends it to a webhook. */
public final class PullRequestReviewCommentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Comment comment;
    public PullRequest pullRequest;
}
