package org.heapspan.benchmarks.data.events;

/** A create event, as GitHub sends it to a webhook. */
public final class CreateEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public String ref;
    public String refType;
    public String masterBranch;
    public String description;
    public String pusherType;
}
