package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A repository with the links GitHub sends along, as GitHub sends it to a webhook. */
public final class Repository implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String url;
    public String name;
    public String nodeId;
    public String fullName;

    @JsonProperty("private")
    public boolean privateRepository;

    public User owner;
    public String htmlUrl;
    public String description;
    public boolean fork;
    public String forksUrl;
    public String keysUrl;
    public String collaboratorsUrl;
    public String teamsUrl;
    public String hooksUrl;
    public String issueEventsUrl;
    public String eventsUrl;
    public String assigneesUrl;
    public String branchesUrl;
    public String tagsUrl;
    public String blobsUrl;
    public String gitTagsUrl;
    public String gitRefsUrl;
    public String treesUrl;
    public String statusesUrl;
    public String languagesUrl;
    public String stargazersUrl;
    public String contributorsUrl;
    public String subscribersUrl;
    public String subscriptionUrl;
    public String commitsUrl;
    public String gitCommitsUrl;
    public String commentsUrl;
    public String issueCommentUrl;
    public String contentsUrl;
    public String compareUrl;
    public String mergesUrl;
    public String archiveUrl;
    public String downloadsUrl;
    public String issuesUrl;
    public String pullsUrl;
    public String milestonesUrl;
    public String notificationsUrl;
    public String labelsUrl;
    public String releasesUrl;
    public String deploymentsUrl;
    public Instant createdAt;
    public Instant updatedAt;
    public Instant pushedAt;
    public String gitUrl;
    public String sshUrl;
    public String cloneUrl;
    public String svnUrl;
    public String homepage;
    public int size;
    public int stargazersCount;
    public int watchersCount;
    public String language;
    public boolean hasIssues;
    public boolean hasProjects;
    public boolean hasDownloads;
    public boolean hasWiki;
    public boolean hasPages;
    public int forksCount;
    public String mirrorUrl;
    public boolean archived;
    public boolean disabled;
    public int openIssuesCount;
    public License license;
    public int forks;
    public int openIssues;
    public int watchers;
    public String defaultBranch;
    public boolean isTemplate;
    public List<String> topics;
    public String visibility;
    public boolean webCommitSignoffRequired;
    public Map<String, String> customProperties;

    @JsonProperty("public")
    public boolean publicRepository;

    public boolean allowSquashMerge;
    public boolean allowMergeCommit;
    public boolean allowRebaseMerge;
    public boolean deleteBranchOnMerge;
    public int stargazers;
    public String masterBranch;
    public String organization;
    public boolean hasDiscussions;
    public boolean allowForking;
}
