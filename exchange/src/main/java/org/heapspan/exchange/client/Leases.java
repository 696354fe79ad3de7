package org.heapspan.exchange.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** The groups that a client leases: it finds them, leases them again when another server leads, and gives them back. Thread-safe. */
final class Leases {
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

    /** Longer groups are read in the files of the server, which costs less than their way through a connection. */
    private static final int MOST_NOT_MAPPED_BYTES = 4 << 10;

    private final Connections connections;
    private final Releases releases;

    /**
     * What is leased from one of several servers. The server that leads next knows the groups, but not who leases them, and keeps them for the time of a
     * lease. So they are leased again, when one is read or with the next sign of life.
     */
    private final Set<Lease> held = ConcurrentHashMap.newKeySet();

    Leases(Connections connections, Releases releases) {
        this.connections = connections;
        this.releases = releases;
    }

    /** A lease of this client, which it takes again when another one of several servers leads. */
    Lease held(Lease lease) {
        if (connections.repeats()) {
            held.add(lease);
        }
        return lease;
    }

    /**
     * Finds a group and leases it.
     *
     * @param request one that is answered by a place
     */
    Lease locate(Request request, Deadline deadline) throws IOException, RefusedException {
        // What is taken is gone then, so that is not repeated.
        return held(
                request instanceof Request.LocateAddress address && address.take()
                        ? tryToLocate(request, deadline)
                        : connections.repeat(deadline, each -> tryToLocate(request, each)));
    }

    private Lease tryToLocate(Request request, Deadline deadline) throws IOException, RefusedException {
        Deadline reply = connections.repeats() ? deadline : connections.timeout();
        // A keeper needs room for its copy.
        return releases.twiceIfFull(() -> connections.use(
                deadline,
                (connection, current) -> new Lease(
                        current,
                        connection.call(request, Reply.Located.class, reply).group())));
    }

    /** Leases the group at an address: without the server, if it does not know yet that the last lease has ended. */
    Lease locate(long address, Deadline deadline) throws IOException, RefusedException {
        ServerSession current = connections.session();
        Lease last = current == null ? null : releases.takeBack(current, address);
        return last == null ? locate(new Request.LocateAddress(address, false), deadline) : held(last);
    }

    /** Takes the group at an address that is handed over, and leases it. */
    Lease take(long address, Deadline deadline) throws IOException, RefusedException {
        return locate(new Request.LocateAddress(address, true), deadline);
    }

    /** Waits until a key is committed, and leases its group. The server waits a part of the time only, so it is asked several times. */
    Lease locate(String key, Deadline deadline) throws IOException, RefusedException {
        return whenCommitted(
                deadline, () -> locate(new Request.LocateKey(key, deadline.remainingMillis()), connections.timeout()));
    }

    /** As {@link #locate(String, Deadline)}, but a short group comes at once, with its checksum compared. */
    Found find(String key, Deadline deadline) throws IOException, RefusedException {
        try {
            return whenCommitted(
                    deadline, () -> connections.repeat(connections.timeout(), each -> tryToFind(key, deadline, each)));
        } catch (IOException | RefusedException e) {
            if (!connections.isOfTransfer(e)) {
                throw e;
            }
            // Who has leased a group can ask for other copies of it.
            Lease lease = locateAfter(e, key, deadline);
            if (lease == null) {
                throw e;
            }
            return new Found(lease, NO_BYTES);
        }
    }

    /** Null if that fails too. */
    private @Nullable Lease locateAfter(Exception failure, String key, Deadline deadline) {
        try {
            return locate(key, deadline);
        } catch (IOException | RefusedException e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    private Found tryToFind(String key, Deadline wait, Deadline deadline) throws IOException, RefusedException {
        Deadline reply = connections.repeats() ? deadline : connections.timeout();
        return releases.twiceIfFull(() -> connections.use(deadline, (connection, current) -> {
            int mostBytes = current.mappings() == null ? Request.ReadKey.MOST_BYTES : MOST_NOT_MAPPED_BYTES;
            Request request = new Request.ReadKey(key, wait.remainingMillis(), mostBytes);
            return found(current, connection.call(request, Reply.Found.class, reply));
        }));
    }

    private Found found(ServerSession session, Reply.Found reply) throws IOException, RefusedException {
        if (reply instanceof Reply.Content content) {
            // The buffer is the connection's.
            ByteBuffer bytes = ByteBuffer.allocate(content.bytes().remaining())
                    .put(content.bytes())
                    .flip();
            GroupDescription group = content.group();
            if (group.raw() || bytes.remaining() != group.sizeBytes()) {
                throw new MalformedFrameException("the server sent " + bytes.remaining() + " bytes of a group of "
                        + group.sizeBytes() + (group.raw() ? ", which is raw" : ""));
            }
            CRC32C checksum = new CRC32C();
            checksum.update(bytes.duplicate());
            group.check((int) checksum.getValue());
            return new Found(null, bytes);
        }
        return new Found(held(new Lease(session, ((Reply.Located) reply).group())), NO_BYTES);
    }

    private <T> T whenCommitted(Deadline deadline, Connections.Attempt<T> attempt)
            throws IOException, RefusedException {
        while (true) {
            try {
                return attempt.make();
            } catch (RefusedException e) {
                if (e.code() != RefusalCode.KEY_MISSING || deadline.hasPassed()) {
                    throw e;
                }
            }
        }
    }

    /** Leases a group again if another one of several servers leads by now. That server may have it no more. */
    void renew(Lease lease, Deadline deadline) throws IOException, RefusedException {
        ServerSession former = lease.session();
        if (!connections.repeats() || connections.session() == former) {
            return;
        }
        long address = lease.group().address();
        Lease again =
                connections.repeat(deadline, each -> tryToLocate(new Request.LocateAddress(address, false), each));
        if (!lease.renew(former, again.session())) {
            releases.add(again);
        }
    }

    /** Leases all groups again if another one of several servers leads by now. */
    void renewAll() {
        ServerSession present = connections.session();
        if (!connections.repeats() || present == null) {
            return;
        }
        List<Lease> ofOthers =
                held.stream().filter(lease -> lease.session() != present).toList();
        for (Lease lease : ofOthers) {
            try {
                renew(lease, connections.timeout());
            } catch (RefusedException e) {
                // Whoever reads it hears why.
                if (e.code() == RefusalCode.GROUP_GONE && connections.session() == present) {
                    held.remove(lease);
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Reads, and keeps the lease until that has ended. */
    <T> T whileLeased(Lease lease, Connections.Attempt<T> reading) throws IOException, RefusedException {
        if (!lease.beginRead()) {
            throw new RefusedException(RefusalCode.CLOSING, "what leased the group has been closed");
        }
        try {
            return reading.make();
        } finally {
            if (lease.endRead()) {
                end(lease);
            }
        }
    }

    /** Ends a lease, soon after the last of those who read the group now. Never waits, and never fails. */
    void release(Lease lease) {
        if (lease.release()) {
            end(lease);
        }
    }

    private void end(Lease lease) {
        held.remove(lease);
        releases.add(lease);
    }
}
