package org.heapspan.benchmarks.data.github;

import java.util.List;

/** An installation event, as GitHub sends it to a webhook. */
public final class InstallationEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public List<Repository> repositories;
}
