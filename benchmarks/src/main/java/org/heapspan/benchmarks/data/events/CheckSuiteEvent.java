package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.CheckSuite;

/** A check suite event, as GitHub sends it to a webhook. */
public final class CheckSuiteEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public CheckSuite checkSuite;
}
