package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Label;

/** A label event, as GitHub sends it to a webhook. */
public final class LabelEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Label label;
}
