package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** An app, as GitHub sends it to a webhook. */
public final class App implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public User owner;
    public String name;
    public String description;
    public String externalUrl;
    public String htmlUrl;
    public Instant createdAt;
    public Instant updatedAt;
    public Map<String, String> permissions;
    public List<String> events;
    public String slug;
}
