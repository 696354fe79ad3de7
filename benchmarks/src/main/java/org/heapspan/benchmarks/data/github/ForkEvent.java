package org.heapspan.benchmarks.data.github;

/** A fork event, as GitHub sends it to a webhook. */
public final class ForkEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Repository forkee;
}
