package org.heapspan.benchmarks.data.events;

import java.time.Instant;
import java.util.List;
import org.heapspan.benchmarks.data.github.Branch;

/** A status event, as GitHub sends it to a webhook. */
public final class StatusEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public long id;
    public String sha;
    public String name;
    public String targetUrl;
    public String context;
    public String description;
    public String state;
    public List<Branch> branches;
    public Instant createdAt;
    public Instant updatedAt;
    public String avatarUrl;
}
