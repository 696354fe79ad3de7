package org.heapspan.benchmarks.data.events;

import java.io.Serializable;
import org.heapspan.benchmarks.data.github.Installation;
import org.heapspan.benchmarks.data.github.Organization;
import org.heapspan.benchmarks.data.github.Repository;
import org.heapspan.benchmarks.data.github.User;

/** What all webhook events have in common: who did what, and where. */
public abstract class WebhookEvent implements Serializable {
    private static final long serialVersionUID = 1L;

    public String action;
    public Repository repository;
    public Organization organization;
    public Installation installation;
    public User sender;
}
