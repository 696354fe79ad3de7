package org.heapspan.benchmarks.data.github;

/** A discussion comment event, as GitHub sends it to a webhook. */
public final class DiscussionCommentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Comment comment;
    public Discussion discussion;
}
