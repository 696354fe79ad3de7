package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Issue;
import org.heapspan.benchmarks.data.github.Label;
import org.heapspan.benchmarks.data.github.Milestone;
import org.heapspan.benchmarks.data.github.User;

/** An issues event, as GitHub sends it to a webhook. */
public final class IssuesEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Issue issue;
    public User assignee;
    public Milestone milestone;
    public Label label;
}
