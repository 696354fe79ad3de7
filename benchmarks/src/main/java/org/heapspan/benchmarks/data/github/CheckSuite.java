package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A check suite, as GitHub sends it to a webhook. */
public final class CheckSuite implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public String headBranch;
    public String headSha;
    public String status;
    public String conclusion;
    public String url;
    public String before;
    public String after;
    public List<PullRequest> pullRequests;
    public App app;
    public Instant createdAt;
    public Instant updatedAt;
    public Deployment deployment;
    public int latestCheckRunsCount;
    public String checkRunsUrl;
    public Commit headCommit;
}
