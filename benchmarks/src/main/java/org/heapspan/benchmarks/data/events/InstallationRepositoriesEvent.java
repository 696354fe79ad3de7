package org.heapspan.benchmarks.data.events;

import java.util.List;
import org.heapspan.benchmarks.data.github.Repository;
import org.heapspan.benchmarks.data.github.User;

/** An installation repositories event, as GitHub sends it to a webhook. */
public final class InstallationRepositoriesEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public String repositorySelection;
    public List<Repository> repositoriesAdded;
    public List<Repository> repositoriesRemoved;
    public User requester;
}
