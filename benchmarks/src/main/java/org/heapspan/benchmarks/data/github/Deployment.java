package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.Map;

/** A deployment, as GitHub sends it to a webhook. */
public final class Deployment implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public long id;
    public String nodeId;
    public String task;
    public String originalEnvironment;
    public String environment;
    public String description;
    public Instant createdAt;
    public Instant updatedAt;
    public String statusesUrl;
    public String repositoryUrl;
    public String sha;
    public String ref;
    public Map<String, String> payload;
    public User creator;
    public boolean transientEnvironment;
    public boolean productionEnvironment;
    public App performedViaGithubApp;
}
