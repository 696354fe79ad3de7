package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.PullRequest;
import org.heapspan.benchmarks.data.github.Review;

/** A pull request review event, as GitHub sends it to a webhook. */
public final class PullRequestReviewEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Review review;
    public PullRequest pullRequest;
}
