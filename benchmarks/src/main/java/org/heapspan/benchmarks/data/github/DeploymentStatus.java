package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A deployment status, as GitHub sends it to a webhook. */
public final class DeploymentStatus implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public long id;
    public String nodeId;
    public String state;
    public User creator;
    public String description;
    public String environment;
    public String targetUrl;
    public Instant createdAt;
    public Instant updatedAt;
    public String deploymentUrl;
    public String repositoryUrl;
    public String environmentUrl;
    public String logUrl;
    public App performedViaGithubApp;
}
