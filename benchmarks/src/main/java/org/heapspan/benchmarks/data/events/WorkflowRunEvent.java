package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Workflow;
import org.heapspan.benchmarks.data.github.WorkflowRun;

/** A workflow run event, as GitHub sends it to a webhook. */
public final class WorkflowRunEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Workflow workflow;
    public WorkflowRun workflowRun;
}
