package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.time.Instant;
import java.util.Map;

/** A review, as GitHub sends it to a webhook. */
public final class Review implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public User user;
    public String body;
    public String commitId;
    public Instant submittedAt;
    public String state;
    public String htmlUrl;
    public String pullRequestUrl;
    public AuthorAssociation authorAssociation;

    @JsonProperty("_links")
    public Map<String, Link> links;
}
