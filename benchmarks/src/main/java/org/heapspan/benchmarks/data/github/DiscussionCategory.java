package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A discussion category, as GitHub sends it to a webhook. */
public final class DiscussionCategory implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public long repositoryId;
    public String emoji;
    public String name;
    public String description;
    public Instant createdAt;
    public Instant updatedAt;
    public String slug;
    public boolean isAnswerable;
}
