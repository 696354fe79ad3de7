package org.heapspan.benchmarks.data.events;

/** A delete event, as GitHub sends it to a webhook. */
public final class DeleteEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public String ref;
    public String refType;
    public String pusherType;
}
