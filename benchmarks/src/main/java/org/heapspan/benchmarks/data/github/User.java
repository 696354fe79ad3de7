package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** A user account, as GitHub sends it to a webhook. */
public final class User implements Serializable {
    private static final long serialVersionUID = 1L;

    public String login;
    public long id;
    public String nodeId;
    public String avatarUrl;
    public String gravatarId;
    public String url;
    public String htmlUrl;
    public String followersUrl;
    public String followingUrl;
    public String gistsUrl;
    public String starredUrl;
    public String subscriptionsUrl;
    public String organizationsUrl;
    public String reposUrl;
    public String eventsUrl;
    public String receivedEventsUrl;
    public String type;
    public boolean siteAdmin;
    public String name;
    public String email;
}
