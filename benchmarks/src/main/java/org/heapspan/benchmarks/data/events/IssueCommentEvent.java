package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Comment;
import org.heapspan.benchmarks.data.github.Issue;

/** An issue comment event, as GitHub sends it to a webhook. */
public final class IssueCommentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Issue issue;
    public Comment comment;
}
