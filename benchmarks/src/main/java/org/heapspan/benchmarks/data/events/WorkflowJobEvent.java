package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Deployment;
import org.heapspan.benchmarks.data.github.WorkflowJob;

/** A workflow job event, as GitHub sends it to a webhook. */
public final class WorkflowJobEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public WorkflowJob workflowJob;
    public Deployment deployment;
}
