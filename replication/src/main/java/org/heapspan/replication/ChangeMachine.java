package org.heapspan.replication;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.heapspan.exchange.peers.Consensus;
import org.jspecify.annotations.Nullable;

/** Makes the changes that were agreed on, and takes snapshots of what they have led to. */
final class ChangeMachine extends BaseStateMachine {
    private static final System.Logger LOGGER = System.getLogger(ChangeMachine.class.getName());

    private static final ByteString COUNTS = ByteString.copyFrom(new byte[] {1});

    private final Consensus.State state;
    private final SnapshotFiles files;
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();

    /** Where the log is, when it is known. */
    private volatile @Nullable Path folder;

    /** Whether it was told that the log has failed. All later changes fail too. */
    private final AtomicBoolean hasLogFailed = new AtomicBoolean();

    /** A change and a snapshot exclude each other. */
    private final Object changing = new Object();

    ChangeMachine(Consensus.State state, SnapshotFiles files) {
        this.state = state;
        this.files = files;
    }

    static boolean counts(Message reply) {
        return reply.getContent().equals(COUNTS);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        super.initialize(server, group, raftStorage);
        folder = raftStorage.getStorageDir().getCurrentDir().toPath();
        synchronized (changing) {
            SnapshotFiles.setPartsAside(
                    raftStorage.getStorageDir().getStateMachineDir().toPath(), state);
        }
        storage.init(raftStorage);
        getLifeCycle().transition(LifeCycle.State.STARTING);
        load(storage.getLatestSnapshot());
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    /** A snapshot is coming from the leader. Called for each piece of it. */
    @Override
    public void pause() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    /** The snapshot is there. */
    @Override
    public void reinitialize() throws IOException {
        getLifeCycle().transition(LifeCycle.State.STARTING);
        SingleFileSnapshotInfo received = storage.loadLatestSnapshot();
        if (received != null) {
            files.forceReceived(received.getFile().getPath());
        }
        load(received);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    private void load(@Nullable SingleFileSnapshotInfo snapshot) throws IOException {
        if (snapshot == null) {
            return;
        }
        Path file = snapshot.getFile().getPath();
        MD5Hash expected = snapshot.getFile().getFileDigest();
        if (expected != null) {
            check(file, expected);
        }
        synchronized (changing) {
            state.load(file);
            setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file.toFile()));
        }
    }

    /** {@link MD5FileUtil#verifySavedMD5} compares the file that has the digest with itself, and does not read the snapshot. */
    private static void check(Path file, MD5Hash expected) throws IOException {
        MD5Hash actual = MD5FileUtil.computeMd5ForFile(file.toFile());
        if (!actual.equals(expected)) {
            throw new IOException(file + " is damaged: the digest of its bytes is " + actual + ", expected " + expected
                    + "; delete the folder of this server: then it gets everything from the others");
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public long takeSnapshot() throws IOException {
        synchronized (changing) {
            TermIndex last = getLastAppliedTermIndex();
            Path file = storage.getSnapshotFile(last.getTerm(), last.getIndex()).toPath();
            MD5Hash digest = files.save(state, file);
            storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file, digest), last));
            return last.getIndex();
        }
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        synchronized (changing) {
            boolean counts = state.apply(
                    entry.getTerm(),
                    entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer());
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            return CompletableFuture.completedFuture(Message.valueOf(counts ? COUNTS : ByteString.EMPTY));
        }
    }

    @Override
    public CompletableFuture<Message> query(Message request) {
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    /** Ratis writes nothing to the log after this, and says nothing of it. */
    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        if (hasLogFailed.compareAndSet(false, true)) {
            LOGGER.log(System.Logger.Level.ERROR, logFailure(folder, cause));
        }
    }

    static String logFailure(@Nullable Path folder, Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return "the log of changes in " + folder + " could not be written: "
                + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage())
                + ". This server stores no changes any more until it is started again. The others go on as long as they are a"
                + " majority. If the device is full, delete other files there, or move the folder to another device; then"
                + " start this server again";
    }

    @Override
    public void notifyLeaderReady() {
        state.leads(true);
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        state.leads(false);
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
        if (!self.getPeerId().equals(leader)) {
            state.leads(false);
        }
    }
}
