package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.CheckRun;
import org.heapspan.benchmarks.data.github.Deployment;
import org.heapspan.benchmarks.data.github.DeploymentStatus;
import org.heapspan.benchmarks.data.github.WorkflowRun;

/** A deployment status event, as GitHub sends it to a webhook. */
public final class DeploymentStatusEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public DeploymentStatus deploymentStatus;
    public Deployment deployment;
    public CheckRun checkRun;
    public WorkflowRun workflowRun;
}
