package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Comment;
import org.heapspan.benchmarks.data.github.Discussion;

/** A discussion comment event, as GitHub sends it to a webhook. */
public final class DiscussionCommentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Comment comment;
    public Discussion discussion;
}
