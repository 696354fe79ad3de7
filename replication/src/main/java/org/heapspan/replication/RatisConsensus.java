package org.heapspan.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.heapspan.exchange.peers.Consensus;
import org.jspecify.annotations.Nullable;

/** One peer of a Raft group. Thread-safe. */
final class RatisConsensus implements Consensus {
    /** What one message of the exchange carries, with room for what Raft adds. */
    private static final SizeInBytes MOST_MESSAGE = SizeInBytes.valueOf("128KB");

    /** More than a server has groups. */
    private static final int MOST_PENDING_CHANGES = 1 << 24;

    private static final SizeInBytes MOST_PENDING_BYTES = SizeInBytes.valueOf("1GB");

    private static final long ASK_MILLIS = 2_000;

    private static final long BYTES_OF_CHANGE = 160;
    private static final long LEAST_SEGMENT_BYTES = 256 << 10;
    private static final long MOST_SEGMENT_BYTES = 8 << 20;
    private static final long MOST_PREALLOCATED_BYTES = 1 << 20;

    /** An election in which a server took part before it lost its folder has ended after as many times of one. */
    private static final int ELECTIONS_OF_FORMER_LIFE = 8;

    private final RaftServer server;
    private final PeerRpc rpc;
    private final RaftGroupId group;
    private final List<RaftPeerId> peers;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final Duration election;
    private final Newcomer newcomer;

    private RatisConsensus(
            RaftServer server,
            PeerRpc rpc,
            RaftGroupId group,
            List<RaftPeerId> peers,
            Settings settings,
            Admission admission) {
        this.server = server;
        this.rpc = rpc;
        this.group = group;
        this.peers = peers;
        election = settings.election();
        newcomer = new Newcomer(server, rpc, group, settings, admission);
    }

    static RatisConsensus start(Settings settings, State state, Calls calls) throws IOException {
        QuietLog.set();
        List<RaftPeerId> ids = settings.peers().stream().map(RatisConsensus::id).toList();
        List<RaftPeer> members = new ArrayList<>();
        for (RaftPeerId id : ids) {
            members.add(RaftPeer.newBuilder().setId(id).build());
        }
        // The same list of servers is the same group: others do not talk to it by mistake.
        RaftGroupId group = RaftGroupId.valueOf(UUID.nameUUIDFromBytes(
                String.join(",", settings.peers().stream().sorted().toList()).getBytes(StandardCharsets.UTF_8)));
        boolean isNew = RaftFolder.begin(settings.folder());
        Admission admission = Admission.open(
                settings.folder().resolveSibling(settings.folder().getFileName() + ".member"),
                isNew,
                ids.size(),
                settings.election().multipliedBy(ELECTIONS_OF_FORMER_LIFE),
                settings.election());
        PeerRpc.Type type = new PeerRpc.Type(calls, ids, admission);
        Parameters parameters = new Parameters();
        parameters.put(PeerRpc.PARAMETER, type, PeerRpc.Type.class);
        RaftServer server = RaftServer.newBuilder()
                .setServerId(ids.get(settings.self()))
                .setGroup(RaftGroup.valueOf(group, members))
                .setStateMachine(new ChangeMachine(state, new SnapshotFiles()))
                .setProperties(properties(settings, isNew))
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
        RatisConsensus consensus = new RatisConsensus(server, type.made(), group, ids, settings, admission);
        consensus.newcomer.start();
        return consensus;
    }

    /** Ratis uses it in names of management beans, which do not allow a colon. */
    private static RaftPeerId id(String place) {
        return RaftPeerId.valueOf(place.replaceAll("[^A-Za-z0-9.-]", "_"));
    }

    private static RaftProperties properties(Settings settings, boolean isNew) {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new PeerRpc.Type());
        RaftServerConfigKeys.setStorageDir(properties, List.of(settings.folder().toFile()));
        // One thread, so that changes stay in the order in which they were proposed.
        RaftServerConfigKeys.ThreadPool.setClientCached(properties, false);
        RaftServerConfigKeys.ThreadPool.setClientSize(properties, 1);
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
        long election = settings.election().toMillis();
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(election));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2 * election));
        // One that was started again does not vote before.
        long first = isNew ? election / 4 : election;
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(first));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(first + election / 4));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(ASK_MILLIS));
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, MOST_MESSAGE);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, MOST_MESSAGE);
        // Each group that ends is a change, and a client may end all that it has at once. A change that is refused ends
        // the lead.
        RaftServerConfigKeys.Write.setElementLimit(properties, MOST_PENDING_CHANGES);
        RaftServerConfigKeys.Write.setByteLimit(properties, MOST_PENDING_BYTES);
        // Whole segments are forgotten after a snapshot: a snapshot has about one.
        long segmentBytes = Math.max(
                LEAST_SEGMENT_BYTES, Math.min(MOST_SEGMENT_BYTES, BYTES_OF_CHANGE * settings.changesOfSnapshot()));
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(segmentBytes));
        RaftServerConfigKeys.Log.setPreallocatedSize(
                properties, SizeInBytes.valueOf(Math.min(MOST_PREALLOCATED_BYTES, segmentBytes)));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(
                properties, Math.min(RaftServerConfigKeys.Log.PURGE_GAP_DEFAULT, settings.changesOfSnapshot()));
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, settings.changesOfSnapshot());
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
    public void resign() throws IOException {
        // A server that has all changes takes it at once. If none has, whoever is elected next leads, which may be this
        // one.
        for (RaftPeerId peer : peers) {
            if (!leads()) {
                return;
            }
            if (!peer.equals(server.getId()) && transfer(peer).isSuccess()) {
                return;
            }
        }
        RaftClientReply reply = transfer(null);
        if (!reply.isSuccess() && leads()) {
            throw new IOException("the lead could not be given up", reply.getException());
        }
    }

    private boolean leads() throws IOException {
        return server.getDivision(group).getInfo().isLeader();
    }

    private RaftClientReply transfer(@Nullable RaftPeerId peer) throws IOException {
        return server.transferLeadership(new TransferLeadershipRequest(
                client, server.getId(), group, calls.incrementAndGet(), peer, 2 * election.toMillis()));
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
    public long silentMillis(int peer) {
        try {
            RoleInfoProto role = server.getDivision(group).getInfo().getRoleInfoProto();
            Stream<ServerRpcProto> heardOf = role.hasLeaderInfo()
                    ? role.getLeaderInfo().getFollowerInfoList().stream()
                    : Stream.of(role.getFollowerInfo().getLeaderInfo());
            return heardOf.filter(
                            each -> each.getId().getId().equals(peers.get(peer).toByteString()))
                    .findFirst()
                    .map(ServerRpcProto::getLastRpcElapsedTimeMs)
                    .orElse(UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    @Override
    public long lastTerm() {
        try {
            return PeerRpc.last(server.getDivision(group)).getTerm();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public void close() throws IOException {
        newcomer.close();
        server.close();
    }
}
