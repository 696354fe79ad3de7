package org.heapspan.benchmarks.data.events;

import java.util.List;
import org.heapspan.benchmarks.data.github.Repository;

/** An installation event, as GitHub sends it to a webhook. */
public final class InstallationEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public List<Repository> repositories;
}
