package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Comment;

/** A commit comment event, as GitHub sends it to a webhook. */
public final class CommitCommentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Comment comment;
}
