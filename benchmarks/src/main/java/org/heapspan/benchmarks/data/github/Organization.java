package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** An organization, as GitHub sends it to a webhook. */
public final class Organization implements Serializable {
    private static final long serialVersionUID = 1L;

    public String login;
    public long id;
    public String nodeId;
    public String url;
    public String reposUrl;
    public String eventsUrl;
    public String hooksUrl;
    public String issuesUrl;
    public String membersUrl;
    public String publicMembersUrl;
    public String avatarUrl;
    public String description;
}
