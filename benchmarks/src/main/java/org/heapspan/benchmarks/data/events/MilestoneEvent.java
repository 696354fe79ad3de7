package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Milestone;

/** A milestone event, as GitHub sends it to a webhook. */
public final class MilestoneEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Milestone milestone;
}
