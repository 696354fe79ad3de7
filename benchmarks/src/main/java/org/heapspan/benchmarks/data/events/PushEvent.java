package org.heapspan.benchmarks.data.events;

import java.util.List;
import org.heapspan.benchmarks.data.github.Commit;
import org.heapspan.benchmarks.data.github.Person;

/** A push event, as GitHub sends it to a webhook. */
public final class PushEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public String ref;
    public String before;
    public String after;
    public boolean created;
    public boolean deleted;
    public boolean forced;
    public String baseRef;
    public String compare;
    public List<Commit> commits;
    public Commit headCommit;
    public Person pusher;
}
