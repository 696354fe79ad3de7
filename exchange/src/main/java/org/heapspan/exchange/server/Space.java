package org.heapspan.exchange.server;

import java.io.Closeable;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;

/** The groups that clients of a server see: its own, or those of the server that it has joined. Thread-safe. */
interface Space extends Closeable {
    /** Answers what is neither about the session nor carries bytes of groups, except for {@link Request.Store}. */
    Reply answer(Session session, Request request) throws RefusedException, InterruptedException;

    /**
     * A piece of a group is about to be written that has come through a connection.
     *
     * @return how long the space is that the session has reserved at the address
     * @throws RefusedException if it has reserved none
     */
    long beginUpload(Session session, long address) throws RefusedException;

    /** The group at an address, which this session leases. */
    GroupDescription leased(Session session, long address) throws RefusedException;

    /** A group that is here, for a keeper that fetches it without a lease. Followed by {@link #endUse}. */
    GroupDescription use(Session session, long address) throws RefusedException;

    /** Ends what {@link #use} has begun. */
    void endUse(Session session, long address);

    /** Bytes that groups take. */
    long usedBytes();

    /** Bytes that groups may take. */
    long capacityBytes();

    int groupCount();

    int keyCount();

    @Override
    void close();
}
