package org.heapspan.benchmarks.data.github;

import java.io.Serializable;
import java.time.Instant;

/** A discussion, as GitHub sends it to a webhook. */
public final class Discussion implements Serializable {
    private static final long serialVersionUID = 1L;

    public String repositoryUrl;
    public DiscussionCategory category;
    public String answerHtmlUrl;
    public Instant answerChosenAt;
    public User answerChosenBy;
    public String htmlUrl;
    public long id;
    public String nodeId;
    public int number;
    public String title;
    public User user;
    public String state;
    public boolean locked;
    public int comments;
    public Instant createdAt;
    public Instant updatedAt;
    public AuthorAssociation authorAssociation;
    public String activeLockReason;
    public String body;
    public Reactions reactions;
}
