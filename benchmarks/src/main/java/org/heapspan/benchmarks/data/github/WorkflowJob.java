package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A workflow job, as GitHub sends it to a webhook. */
public final class WorkflowJob implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public long runId;
    public String runUrl;
    public String nodeId;
    public String headSha;
    public String url;
    public String htmlUrl;
    public String status;
    public String conclusion;
    public Instant startedAt;
    public Instant completedAt;
    public String name;
    public List<Step> steps;
    public String checkRunUrl;
    public List<String> labels;
    public long runnerId;
    public String runnerName;
    public long runnerGroupId;
    public String runnerGroupName;
    public int runAttempt;
    public String headBranch;
    public Instant createdAt;
    public String workflowName;
}
