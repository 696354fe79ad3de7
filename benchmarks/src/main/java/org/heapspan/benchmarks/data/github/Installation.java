package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** An installation, as GitHub sends it to a webhook. */
public final class Installation implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public User account;
    public String repositorySelection;
    public String accessTokensUrl;
    public String repositoriesUrl;
    public String htmlUrl;
    public long appId;
    public long targetId;
    public String targetType;
    public Map<String, String> permissions;
    public List<String> events;
    public Instant createdAt;
    public Instant updatedAt;
    public String singleFileName;
    public Instant suspendedAt;
    public User suspendedBy;
    public String appSlug;
    public boolean hasMultipleSingleFiles;
    public List<String> singleFilePaths;
}
