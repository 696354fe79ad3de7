package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Label;
import org.heapspan.benchmarks.data.github.PullRequest;
import org.heapspan.benchmarks.data.github.User;

/** A pull request event, as GitHub sends it to a webhook. */
public final class PullRequestEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public int number;
    public PullRequest pullRequest;
    public User assignee;
    public Label label;
    public User requestedReviewer;
    public String before;
    public String after;
}
