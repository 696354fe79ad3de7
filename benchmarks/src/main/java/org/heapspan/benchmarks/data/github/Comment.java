package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.time.Instant;
import java.util.Map;

/** A comment, as GitHub sends it to a webhook. */
public final class Comment implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public String htmlUrl;
    public long id;
    public String nodeId;
    public User user;
    public int position;
    public int line;
    public String path;
    public String commitId;
    public Instant createdAt;
    public Instant updatedAt;
    public AuthorAssociation authorAssociation;
    public String body;
    public int childCommentCount;
    public String repositoryUrl;
    public long discussionId;
    public Reactions reactions;
    public String issueUrl;
    public App performedViaGithubApp;
    public long pullRequestReviewId;
    public String diffHunk;
    public int originalPosition;
    public String originalCommitId;
    public String pullRequestUrl;

    @JsonProperty("_links")
    public Map<String, Link> links;

    public Integer startLine;
    public Integer originalStartLine;
    public String startSide;
    public int originalLine;
    public String side;
}
