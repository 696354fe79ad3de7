package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A workflow run, as GitHub sends it to a webhook. */
public final class WorkflowRun implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String name;
    public String nodeId;
    public String headBranch;
    public String headSha;
    public int runNumber;
    public String event;
    public String status;
    public String conclusion;
    public long workflowId;
    public long checkSuiteId;
    public String checkSuiteNodeId;
    public String url;
    public String htmlUrl;
    public List<PullRequest> pullRequests;
    public Instant createdAt;
    public Instant updatedAt;
    public int runAttempt;
    public Instant runStartedAt;
    public User actor;
    public User triggeringActor;
    public String artifactsUrl;
    public String cancelUrl;
    public String checkSuiteUrl;
    public Commit headCommit;
    public Repository headRepository;
    public String jobsUrl;
    public String logsUrl;
    public String previousAttemptUrl;
    public Repository repository;
    public String rerunUrl;
    public String workflowUrl;
    public String path;
    public String displayTitle;
}
