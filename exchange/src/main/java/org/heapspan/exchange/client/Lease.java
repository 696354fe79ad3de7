package org.heapspan.exchange.client;

import org.heapspan.exchange.wire.GroupDescription;

/** A group that its server keeps for this client until {@link ExchangeClient#release} is called once. Immutable. */
public final class Lease {
    private final ServerSession session;
    private final GroupDescription group;

    Lease(ServerSession session, GroupDescription group) {
        this.session = session;
        this.group = group;
    }

    ServerSession session() {
        return session;
    }

    /** What is leased. */
    public GroupDescription group() {
        return group;
    }
}
