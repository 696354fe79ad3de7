package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A release, as GitHub sends it to a webhook. */
public final class Release implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public String assetsUrl;
    public String uploadUrl;
    public String htmlUrl;
    public long id;
    public String nodeId;
    public String tagName;
    public String targetCommitish;
    public String name;
    public boolean draft;
    public User author;
    public boolean prerelease;
    public Instant createdAt;
    public Instant publishedAt;
    public List<Link> assets;
    public String tarballUrl;
    public String zipballUrl;
    public String body;
    public String discussionUrl;
    public Reactions reactions;
}
