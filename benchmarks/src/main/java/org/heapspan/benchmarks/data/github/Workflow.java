package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A workflow, as GitHub sends it to a webhook. */
public final class Workflow implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public String name;
    public String path;
    public String state;
    public Instant createdAt;
    public Instant updatedAt;
    public String url;
    public String htmlUrl;
    public String badgeUrl;
}
