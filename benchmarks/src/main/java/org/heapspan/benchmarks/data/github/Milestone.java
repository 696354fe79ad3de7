package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A milestone, as GitHub sends it to a webhook. */
public final class Milestone implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public String htmlUrl;
    public String labelsUrl;
    public long id;
    public String nodeId;
    public int number;
    public String title;
    public String description;
    public User creator;
    public int openIssues;
    public int closedIssues;
    public String state;
    public Instant createdAt;
    public Instant updatedAt;
    public Instant dueOn;
    public Instant closedAt;
}
