package org.heapspan.exchange.server;

import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.peers.Leadership;
import org.heapspan.exchange.peers.Replica;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;

/**
 * The groups of the one server that leads those that replicate their keys. What it answers of keys and types depends on changes that a majority
 * must have confirmed first, and on its being the leader still.
 */
final class LeaderSpace implements Space {
    private final OwnSpace own;
    private final Replica replica;
    private final Leadership leadership;

    LeaderSpace(OwnSpace own, Replica replica, Leadership leadership) {
        this.own = own;
        this.replica = replica;
        this.leadership = leadership;
    }

    @Override
    public Reply answer(Session session, Request request) throws RefusedException, InterruptedException {
        if (request instanceof Request.ForgetCopy) {
            return new Reply.Done();
        }
        if (request instanceof Request.StoreCopy) {
            throw new RefusedException(RefusalCode.NOT_LEADER, "this server leads, and stores no copies for others");
        }
        if (request.change() instanceof Request.Commit commit
                && commit.raw()
                && !commit.key().isEmpty()) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    "the image is raw, and raw images do not leave the host of the leader; use Encoding.COMPACT");
        }
        if (request instanceof Request.ReadKey read) {
            // Bytes are found by who has a lease.
            return answer(session, read.forLease());
        }
        if (!dependsOnLog(request)) {
            return own.answer(session, request);
        }
        Reply reply;
        try {
            reply = own.answer(session, request);
        } catch (RefusedException e) {
            confirm();
            throw e;
        }
        if (reply instanceof Reply.Located located) {
            require(session, located.group());
        }
        if (!isConfirmed(request)) {
            confirm();
        }
        return reply;
    }

    /** The bytes are here. Otherwise the client does not get the lease that the session has already. */
    private void require(Session session, GroupDescription group) throws RefusedException {
        boolean here = false;
        try {
            replica.require(group);
            here = true;
        } finally {
            if (!here) {
                own.endUse(session, group.address());
            }
        }
    }

    private static boolean dependsOnLog(Request request) {
        Request change = request.change();
        return change instanceof Request.LocateKey
                || change instanceof Request.LocateAddress
                || change instanceof Request.ListKeys
                || change instanceof Request.StatKey
                || change instanceof Request.NumberTypes
                || change instanceof Request.Depend
                || isConfirmed(request);
    }

    /** A change that was made has been confirmed with all before it, or is not replicated. */
    private static boolean isConfirmed(Request request) {
        Request change = request.change();
        return change instanceof Request.Remove || change instanceof Request.Commit || change instanceof Request.Store;
    }

    private void confirm() throws RefusedException {
        try {
            leadership.confirm();
        } catch (NotLeaderException e) {
            throw new RefusedException(RefusalCode.NOT_LEADER, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public long beginUpload(Session session, long address) throws RefusedException {
        return own.beginUpload(session, address);
    }

    @Override
    public GroupDescription leased(Session session, long address) throws RefusedException {
        return own.leased(session, address);
    }

    @Override
    public GroupDescription use(Session session, long address) throws RefusedException {
        GroupDescription group = own.use(session, address);
        if (replica.lacks(group)) {
            own.endUse(session, address);
            throw new RefusedException(RefusalCode.GROUP_GONE, "this server has no copy of the group");
        }
        return group;
    }

    @Override
    public void endUse(Session session, long address) {
        own.endUse(session, address);
    }

    @Override
    public long usedBytes() {
        return own.usedBytes();
    }

    @Override
    public long capacityBytes() {
        return own.capacityBytes();
    }

    @Override
    public int groupCount() {
        return own.groupCount();
    }

    @Override
    public int keyCount() {
        return own.keyCount();
    }

    @Override
    public void close() {
        own.close();
    }
}
