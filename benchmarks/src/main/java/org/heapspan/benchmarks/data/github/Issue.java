package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** An issue, as GitHub sends it to a webhook. */
public final class Issue implements Serializable {
    private static final long serialVersionUID = 1L;

    public String url;
    public String repositoryUrl;
    public String labelsUrl;
    public String commentsUrl;
    public String eventsUrl;
    public String htmlUrl;
    public long id;
    public String nodeId;
    public int number;
    public String title;
    public User user;
    public List<Label> labels;
    public String state;
    public boolean locked;
    public User assignee;
    public List<User> assignees;
    public Milestone milestone;
    public int comments;
    public Instant createdAt;
    public Instant updatedAt;
    public Instant closedAt;
    public AuthorAssociation authorAssociation;
    public String body;
    public String activeLockReason;
    public Reactions reactions;
    public App performedViaGithubApp;
    public boolean draft;
    public String timelineUrl;
    public PullRequest pullRequest;
}
