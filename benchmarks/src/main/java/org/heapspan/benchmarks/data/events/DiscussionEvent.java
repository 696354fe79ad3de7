package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Discussion;
import org.heapspan.benchmarks.data.github.Label;

/** A discussion event, as GitHub sends it to a webhook. */
public final class DiscussionEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Discussion discussion;
    public Label label;
}
