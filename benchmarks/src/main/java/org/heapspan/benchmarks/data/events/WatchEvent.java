package org.heapspan.benchmarks.data.events;

/** A watch event, as GitHub sends it to a webhook. */
public final class WatchEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;
}
