package org.heapspan.replication;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
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
    private static final ByteString COUNTS = ByteString.copyFrom(new byte[] {1});

    private final Consensus.State state;
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();

    /** A change and a snapshot exclude each other. */
    private final Object changing = new Object();

    ChangeMachine(Consensus.State state) {
        this.state = state;
    }

    static boolean counts(Message reply) {
        return reply.getContent().equals(COUNTS);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        super.initialize(server, group, raftStorage);
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
        load(storage.loadLatestSnapshot());
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
            MD5Hash digest = SnapshotFiles.save(state, file);
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
