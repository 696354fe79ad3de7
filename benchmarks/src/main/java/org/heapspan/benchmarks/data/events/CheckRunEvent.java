package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.CheckRun;

/** A check run event, as GitHub sends it to a webhook. */
public final class CheckRunEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public CheckRun checkRun;
}
