package org.heapspan.exchange.client;

import org.heapspan.exchange.wire.GroupDescription;

/**
 * A group that its server keeps for this client until {@link ExchangeClient#release} is called once. Of several servers, the one that leads next does
 * not know of it, so the client leases the same group there. Thread-safe.
 */
public final class Lease {
    private final GroupDescription group;
    private ServerSession session;
    private boolean released;

    Lease(ServerSession session, GroupDescription group) {
        this.session = session;
        this.group = group;
    }

    synchronized ServerSession session() {
        return session;
    }

    /** What is leased. */
    public GroupDescription group() {
        return group;
    }

    /**
     * The same group was leased in another session.
     *
     * @return false if this lease was released meanwhile, or the group was leased again by another thread
     */
    synchronized boolean renew(ServerSession former, ServerSession next) {
        if (released || session != former) {
            return false;
        }
        session = next;
        return true;
    }

    /** Its last session, which does not change any more. */
    synchronized ServerSession release() {
        released = true;
        return session;
    }
}
