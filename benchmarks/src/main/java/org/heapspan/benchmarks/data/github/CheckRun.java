package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A check run, as GitHub sends it to a webhook. */
public final class CheckRun implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public String headSha;
    public String externalId;
    public String url;
    public String htmlUrl;
    public String detailsUrl;
    public String status;
    public String conclusion;
    public Instant startedAt;
    public Instant completedAt;
    public CheckOutput output;
    public String name;
    public CheckSuite checkSuite;
    public App app;
    public List<PullRequest> pullRequests;
    public Deployment deployment;
}
