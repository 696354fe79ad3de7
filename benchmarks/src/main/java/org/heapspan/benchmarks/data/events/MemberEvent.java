package org.heapspan.benchmarks.data.events;

import org.heapspan.benchmarks.data.github.User;

/** A member event, as GitHub sends it to a webhook. */
public final class MemberEvent extends WebhookEvent {
    private static final long serialVersionUID = 1L;

    public User member;
}
