package org.heapspan.exchange.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Metadata;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.metadata.Types;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/** The groups of a server that has metadata of its own. */
final class OwnSpace implements Space {
    /** A client asks again if its own deadline is later: so nobody waits long for one that has gone. */
    static final long MOST_WAIT_MILLIS = 1_000;

    private final Metadata metadata;
    private final Keeper keeper;
    private final Traffic traffic;
    private final Types types;

    OwnSpace(Metadata metadata, Keeper keeper, Traffic traffic, Types types) {
        this.types = types;
        this.metadata = metadata;
        this.keeper = keeper;
        this.traffic = traffic;
    }

    @Override
    public Reply answer(Session session, Request request) throws RefusedException, InterruptedException {
        if (request instanceof Request.Numbered numbered) {
            return answerChange(session, numbered.change(), numbered.number());
        } else if (isChange(request)) {
            return answerChange(session, request, null);
        } else if (request instanceof Request.Reserve reserve) {
            return new Reply.Reserved(reserve(session, reserve.sizeBytes()));
        } else if (request instanceof Request.LocateKey locate) {
            return located(metadata.locate(session, locate.key(), within(locate.waitMillis())));
        } else if (request instanceof Request.ReadKey read) {
            return read(session, read);
        } else if (request instanceof Request.LocateAddress locate) {
            return located(metadata.locate(session, locate.address(), locate.take()));
        } else if (request instanceof Request.Release release) {
            metadata.release(session, release.addresses());
        } else if (request instanceof Request.ListKeys list) {
            List<KeyDescription> keys = metadata.list(list.prefix(), list.after());
            return new Reply.Keys(keys, !keys.isEmpty());
        } else if (request instanceof Request.StatKey stat) {
            return new Reply.Keys(metadata.stat(stat.key()), false);
        } else if (request instanceof Request.NumberTypes number) {
            return types.answer(number);
        } else {
            return answerKeeper(session, request);
        }
        return new Reply.Done();
    }

    private static boolean isChange(Request request) {
        return request instanceof Request.Commit
                || request instanceof Request.Store
                || request instanceof Request.Remove;
    }

    private Reply answerChange(Session session, Request change, @Nullable UUID number) throws RefusedException {
        if (change instanceof Request.Commit commit) {
            if (commit.raw()) {
                checkWritten(session, commit);
            }
            return new Reply.Committed(metadata.commit(session, commit, number));
        } else if (change instanceof Request.Store store) {
            return store(session, store, number);
        } else if (change instanceof Request.Remove remove) {
            metadata.remove(remove.key(), remove.version(), number);
        }
        return new Reply.Done();
    }

    /**
     * Raw bytes are trusted, and their client only says that it has written them to the files. Space is zeros until somebody writes there, and bytes
     * that come through a connection are not committed as raw. So where an image begins, somebody has written who can write to the files.
     */
    private void checkWritten(Session session, Request.Commit commit) throws RefusedException {
        metadata.checkReserved(session, commit);
        ByteBuffer first;
        try {
            // Space is whole pages.
            first = keeper.read(commit.address(), Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.STORAGE, "the group could not be read: " + e.getMessage());
        }
        if (first.getInt() != ImageFormat.MAGIC) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL,
                    "the group at 0x" + Long.toHexString(commit.address())
                            + " is said to be a raw image that is written in place, but no image begins there; a client"
                            + " that cannot write to the files of the server sends compact images");
        }
    }

    private Reply answerKeeper(Session session, Request request) throws RefusedException, InterruptedException {
        if (request instanceof Request.AwaitFreed await) {
            return metadata.awaitFreed(session, await.confirmed(), within(await.waitMillis()));
        } else if (request instanceof Request.FindCopies find) {
            return metadata.findCopies(session, find.address());
        } else if (request instanceof Request.Join join) {
            metadata.join(session, join.port());
        } else if (request instanceof Request.AddCopy add) {
            metadata.addCopy(session, add.address());
        } else if (request instanceof Request.DropCopies drop) {
            metadata.dropCopies(session, drop.addresses());
        } else if (request instanceof Request.Depend depend) {
            metadata.depend(session, depend.address(), depend.needed());
        }
        return new Reply.Done();
    }

    private static Deadline within(long millis) {
        return Deadline.afterMillis(Math.min(millis, MOST_WAIT_MILLIS));
    }

    private Reply located(GroupDescription group) {
        traffic.read(group.sizeBytes());
        return new Reply.Located(group);
    }

    /** The bytes of a short group: its client needs one message, and there is no lease to give back. */
    private Reply read(Session session, Request.ReadKey request) throws RefusedException, InterruptedException {
        GroupDescription group = metadata.locate(session, request.key(), within(request.waitMillis()));
        if (group.raw() || group.sizeBytes() > Math.min(request.mostBytes(), Request.ReadKey.MOST_BYTES)) {
            return located(group);
        }
        try {
            ByteBuffer bytes = keeper.read(group.address(), (int) group.sizeBytes());
            traffic.read(group.sizeBytes());
            traffic.carried(group.sizeBytes());
            return new Reply.Content(group, bytes);
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.STORAGE, "the group could not be read: " + e.getMessage());
        } finally {
            metadata.release(session, new long[] {group.address()});
        }
    }

    private long reserve(Session session, long sizeBytes) throws RefusedException {
        long address = metadata.reserve(session, sizeBytes);
        try {
            return prepared(session, address, sizeBytes);
        } catch (IOException e) {
            if (!metadata.hasOverflow() || metadata.isInOverflow(address)) {
                throw noSpace(e);
            }
        }
        try {
            return prepared(session, metadata.reserveInOverflow(session, sizeBytes), sizeBytes);
        } catch (IOException e) {
            throw noSpace(e);
        }
    }

    private long prepared(Session session, long address, long sizeBytes) throws IOException {
        try {
            keeper.prepare(address, sizeBytes);
            return address;
        } catch (IOException e) {
            metadata.release(session, new long[] {address});
            throw e;
        }
    }

    private static RefusedException noSpace(IOException e) {
        return new RefusedException(RefusalCode.FULL, "no space could be reserved: " + e.getMessage());
    }

    private Reply store(Session session, Request.Store store, @Nullable UUID number) throws RefusedException {
        Long made = store.key().isEmpty() || number == null ? null : metadata.outcome(store.key(), number);
        if (made != null) {
            // There may be no room any more, because the change has taken it.
            return new Reply.Stored(0, made);
        }
        int sizeBytes = store.bytes().remaining();
        long address = reserve(session, sizeBytes);
        boolean committed = false;
        try {
            Request.Commit commit = store.commit(address);
            Upload whole = new Upload(address);
            whole.receive(new Request.Data(address, 0, store.bytes()), sizeBytes, keeper);
            whole.check(commit);
            long version = metadata.commit(session, commit, number);
            committed = true;
            return new Reply.Stored(address, version);
        } finally {
            if (!committed) {
                metadata.release(session, new long[] {address});
            }
        }
    }

    @Override
    public long beginUpload(Session session, long address) throws RefusedException {
        return metadata.beginUpload(session, address);
    }

    @Override
    public GroupDescription leased(Session session, long address) throws RefusedException {
        return metadata.leased(session, address);
    }

    @Override
    public GroupDescription use(Session session, long address) throws RefusedException {
        return metadata.locate(session, address, false);
    }

    @Override
    public void endUse(Session session, long address) {
        metadata.release(session, new long[] {address});
    }

    @Override
    public long usedBytes() {
        return metadata.usedBytes();
    }

    @Override
    public long capacityBytes() {
        return metadata.capacityBytes();
    }

    @Override
    public int groupCount() {
        return metadata.groupCount();
    }

    @Override
    public int keyCount() {
        return metadata.keyCount();
    }

    @Override
    public void close() {
        metadata.close();
    }
}
