package org.heapspan.benchmarks.data.github;

/** A deployment status event, as GitHub sends it to a webhook. */
public final class DeploymentStatusEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public DeploymentStatus deploymentStatus;
    public Deployment deployment;
    public CheckRun checkRun;
    public WorkflowRun workflowRun;
}
