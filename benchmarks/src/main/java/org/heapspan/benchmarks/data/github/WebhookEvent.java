package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** What all webhook events have in common: who did what, and where. */
public abstract class WebhookEvent implements Serializable {
    private static final long serialVersionUID = 1L;

    public String action;
    public Repository repository;
    public Organization organization;
    public Installation installation;
    public User sender;
}
