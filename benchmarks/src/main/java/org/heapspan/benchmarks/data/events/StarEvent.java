package org.heapspan.benchmarks.data.events;

import java.time.Instant;

/** A star event, as GitHub sends it to a webhook. */
public final class StarEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Instant starredAt;
}
