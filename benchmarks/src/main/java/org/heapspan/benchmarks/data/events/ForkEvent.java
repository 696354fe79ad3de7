package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Repository;

/** A fork event, as GitHub sends it to a webhook. */
public final class ForkEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Repository forkee;
}
