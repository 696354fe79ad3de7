package org.heapspan.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.heapspan.exchange.peers.Consensus;

/** One peer of a Raft group. Thread-safe. */
final class RatisConsensus implements Consensus {
    /** What one message of the exchange carries, with room for what Raft adds. */
    private static final SizeInBytes MOST_MESSAGE = SizeInBytes.valueOf("128KB");

    private static final long LEAST_ELECTION_MILLIS = 600;
    private static final long MOST_ELECTION_MILLIS = 1_200;
    private static final long ASK_MILLIS = 2_000;
    private static final long CHANGES_OF_SNAPSHOT = 50_000;

    private final RaftServer server;
    private final PeerRpc rpc;
    private final RaftGroupId group;
    private final List<RaftPeerId> peers;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    private RatisConsensus(RaftServer server, PeerRpc rpc, RaftGroupId group, List<RaftPeerId> peers) {
        this.server = server;
        this.rpc = rpc;
        this.group = group;
        this.peers = peers;
    }

    static RatisConsensus start(Settings settings, State state, Calls calls) throws IOException {
        QuietLog.set();
        List<RaftPeerId> ids = settings.peers().stream().map(RaftPeerId::valueOf).toList();
        List<RaftPeer> members = new ArrayList<>();
        for (RaftPeerId id : ids) {
            members.add(RaftPeer.newBuilder().setId(id).build());
        }
        // The same list of servers is the same group: others do not talk to it by mistake.
        RaftGroupId group = RaftGroupId.valueOf(UUID.nameUUIDFromBytes(
                String.join(",", settings.peers().stream().sorted().toList()).getBytes(StandardCharsets.UTF_8)));
        boolean isNew = !Files.exists(settings.folder());
        PeerRpc.Type type = new PeerRpc.Type(calls, ids);
        Parameters parameters = new Parameters();
        parameters.put(PeerRpc.PARAMETER, type, PeerRpc.Type.class);
        RaftServer server = RaftServer.newBuilder()
                .setServerId(ids.get(settings.self()))
                .setGroup(RaftGroup.valueOf(group, members))
                .setStateMachine(new ChangeMachine(state))
                .setProperties(properties(settings))
                .setParameters(parameters)
                .setOption(isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
                .build();
        boolean started = false;
        try {
            server.start();
            started = true;
        } finally {
            if (!started) {
                server.close();
            }
        }
        return new RatisConsensus(server, type.made(), group, ids);
    }

    private static RaftProperties properties(Settings settings) {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new PeerRpc.Type());
        RaftServerConfigKeys.setStorageDir(properties, List.of(settings.folder().toFile()));
        // One thread, so that changes stay in the order in which they were proposed.
        RaftServerConfigKeys.ThreadPool.setClientCached(properties, false);
        RaftServerConfigKeys.ThreadPool.setClientSize(properties, 1);
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(LEAST_ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(MOST_ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(LEAST_ELECTION_MILLIS / 4));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(MOST_ELECTION_MILLIS / 4));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(ASK_MILLIS));
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, MOST_MESSAGE);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, MOST_MESSAGE);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("8MB"));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("1MB"));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, CHANGES_OF_SNAPSHOT);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        return properties;
    }

    private static TimeDuration millis(long millis) {
        return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public byte[] answer(byte[] message) throws IOException {
        return rpc.answer(message);
    }

    @Override
    public CompletableFuture<Boolean> propose(byte[] change) {
        return submit(Message.valueOf(ByteString.copyFrom(change)), RaftClientRequest.writeRequestType())
                .thenApply(reply -> ChangeMachine.counts(reply.getMessage()));
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return submit(Message.EMPTY, RaftClientRequest.readRequestType()).thenApply(reply -> null);
    }

    private CompletableFuture<RaftClientReply> submit(Message message, RaftClientRequest.Type type) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(server.getId())
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
                .setMessage(message)
                .setType(type)
                .build();
        try {
            return server.submitClientRequestAsync(request).thenCompose(RatisConsensus::successful);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<RaftClientReply> successful(RaftClientReply reply) {
        return reply.isSuccess()
                ? CompletableFuture.completedFuture(reply)
                : CompletableFuture.failedFuture(
                        reply.getException() == null ? new IOException("no reply") : reply.getException());
    }

    @Override
    public int leader() {
        try {
            RaftPeerId leader = server.getDivision(group).getInfo().getLeaderId();
            return leader == null ? NOBODY : peers.indexOf(leader);
        } catch (IOException e) {
            return NOBODY;
        }
    }

    @Override
    public long lastTerm() {
        try {
            TermIndex last = server.getDivision(group).getRaftLog().getLastEntryTermIndex();
            TermIndex snapshot = server.getDivision(group).getStateMachine().getLastAppliedTermIndex();
            return Math.max(last == null ? 0 : last.getTerm(), snapshot == null ? 0 : snapshot.getTerm());
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
