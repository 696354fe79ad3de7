package org.heapspan.exchange.client;

import org.heapspan.exchange.wire.GroupDescription;

/**
 * A group that its server keeps for this client until {@link ExchangeClient#release} is called once. Of several servers, the one that leads next does
 * not know of it, so the client leases the same group there. The bytes may go when the lease ends, so it ends when nobody reads them any more.
 * Thread-safe.
 */
public final class Lease {
    private final GroupDescription group;
    private ServerSession session;
    private int readers;
    private boolean released;

    Lease(ServerSession session, GroupDescription group) {
        this.session = session;
        this.group = group;
    }

    /** Its session, which does not change any more when it has ended. */
    synchronized ServerSession session() {
        return session;
    }

    /** What is leased. */
    public GroupDescription group() {
        return group;
    }

    /**
     * Somebody begins to read.
     *
     * @return false if this lease was released
     */
    synchronized boolean beginRead() {
        if (released) {
            return false;
        }
        readers++;
        return true;
    }

    /**
     * Somebody reads no more.
     *
     * @return whether this was the last reader of a lease that was released
     */
    synchronized boolean endRead() {
        readers--;
        return hasEnded();
    }

    /**
     * It is not wanted any more.
     *
     * @return whether nobody reads: otherwise the last {@link #endRead} tells that it has ended
     */
    synchronized boolean release() {
        released = true;
        return hasEnded();
    }

    private boolean hasEnded() {
        return released && readers == 0;
    }

    /**
     * The same group was leased in another session.
     *
     * @return false if this lease has ended meanwhile, or the group was leased again by another thread
     */
    synchronized boolean renew(ServerSession former, ServerSession next) {
        if (hasEnded() || session != former) {
            return false;
        }
        session = next;
        return true;
    }
}
