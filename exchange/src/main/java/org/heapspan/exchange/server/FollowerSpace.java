package org.heapspan.exchange.server;

import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.peers.Replica;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;

/** A server that replicates the keys of another one: it names that one to clients, and has copies for the other servers. */
final class FollowerSpace implements Space {
    private final Replica replica;
    private final long capacityBytes;

    FollowerSpace(Replica replica, long capacityBytes) {
        this.replica = replica;
        this.capacityBytes = capacityBytes;
    }

    @Override
    public Reply answer(Session session, Request request) throws RefusedException, InterruptedException {
        if (request instanceof Request.StoreCopy copy) {
            replica.storeCopy(copy);
        } else if (request instanceof Request.ForgetCopy copy) {
            replica.forgetCopy(copy);
        } else if (!(request instanceof Request.Release)) {
            throw notLeader();
        }
        return new Reply.Done();
    }

    private RefusedException notLeader() {
        return new RefusedException(RefusalCode.NOT_LEADER, replica.leaderText());
    }

    @Override
    public long beginUpload(Session session, long address) throws RefusedException {
        throw notLeader();
    }

    @Override
    public GroupDescription leased(Session session, long address) throws RefusedException {
        throw notLeader();
    }

    @Override
    public GroupDescription use(Session session, long address) throws RefusedException {
        return replica.use(address);
    }

    @Override
    public void endUse(Session session, long address) {
        // Copies stay until the key changes.
    }

    @Override
    public long usedBytes() {
        return replica.usedBytes();
    }

    @Override
    public long capacityBytes() {
        return capacityBytes;
    }

    @Override
    public int groupCount() {
        return replica.groupCount();
    }

    @Override
    public int keyCount() {
        return replica.keyCount();
    }

    @Override
    public void close() {
        // The replica goes on.
    }
}
