package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.Deployment;
import org.heapspan.benchmarks.data.github.Workflow;
import org.heapspan.benchmarks.data.github.WorkflowRun;

/** A deployment event, as GitHub sends it to a webhook. */
public final class DeploymentEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public Deployment deployment;
    public Workflow workflow;
    public WorkflowRun workflowRun;
}
