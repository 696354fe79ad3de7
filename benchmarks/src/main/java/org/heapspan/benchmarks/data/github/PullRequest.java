package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A pull request, as GitHub sends it to a webhook. */
public final class PullRequest implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public long id;
    public int number;
    public BranchReference head;
    public BranchReference base;
    public String htmlUrl;
    public String diffUrl;
    public String patchUrl;
    public String nodeId;
    public String issueUrl;
    public String state;
    public boolean locked;
    public String title;
    public User user;
    public String body;
    public Instant createdAt;
    public Instant updatedAt;
    public Instant closedAt;
    public Instant mergedAt;
    public String mergeCommitSha;
    public User assignee;
    public List<User> assignees;
    public List<User> requestedReviewers;
    public List<String> requestedTeams;
    public List<Label> labels;
    public Milestone milestone;
    public String commitsUrl;
    public String reviewCommentsUrl;
    public String reviewCommentUrl;
    public String commentsUrl;
    public String statusesUrl;

    @JsonProperty("_links")
    public Map<String, Link> links;

    public AuthorAssociation authorAssociation;
    public boolean draft;
    public boolean merged;
    public Boolean mergeable;
    public Boolean rebaseable;
    public String mergeableState;
    public User mergedBy;
    public int comments;
    public int reviewComments;
    public boolean maintainerCanModify;
    public int commits;
    public int additions;
    public int deletions;
    public int changedFiles;
    public String activeLockReason;
}
