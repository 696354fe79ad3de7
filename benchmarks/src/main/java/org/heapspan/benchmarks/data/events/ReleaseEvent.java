package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Release;

/** A release event, as GitHub sends it to a webhook. */
public final class ReleaseEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Release release;
}
