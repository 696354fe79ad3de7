package org.heapspan.replication;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.heapspan.exchange.peers.Consensus;
import org.jspecify.annotations.Nullable;

/** Messages of Raft in messages of the exchange: a byte for the kind, then the message. Thread-safe. */
final class PeerRpc implements RaftServerRpc {
    static final String PARAMETER = "heapspan.peers";

    private static final byte VOTE = 1;
    private static final byte APPEND = 2;
    private static final byte SNAPSHOT = 3;
    private static final byte ELECTION = 4;
    private static final byte STANDING = 5;

    private static final InetSocketAddress NO_ADDRESS = InetSocketAddress.createUnresolved("heapspan", 0);

    private final RaftServer server;
    private final Type type;
    private final Consensus.Calls calls;
    private final Admission admission;

    /** Tells Ratis of this way. Ratis makes one by its name, and gets the one that has connections as a parameter. */
    static final class Type implements RpcType {
        private final Consensus.@Nullable Calls calls;
        private final List<RaftPeerId> peers;
        private final @Nullable Admission admission;
        private @Nullable PeerRpc made;

        /** For Ratis. */
        Type() {
            calls = null;
            peers = List.of();
            admission = null;
        }

        Type(Consensus.Calls calls, List<RaftPeerId> peers, Admission admission) {
            this.calls = calls;
            this.peers = peers;
            this.admission = admission;
        }

        @Override
        public String name() {
            return Type.class.getName();
        }

        @Override
        public RpcFactory newFactory(Parameters parameters) {
            Type connected = parameters.getNonNull(PARAMETER, Type.class);
            return new ServerFactory() {
                @Override
                public RaftServerRpc newRaftServerRpc(RaftServer server) {
                    return connected.make(server);
                }

                @Override
                public RpcType getRpcType() {
                    return connected;
                }
            };
        }

        private synchronized PeerRpc make(RaftServer server) {
            if (calls == null || admission == null) {
                throw new IllegalStateException("this type is for the name only");
            }
            PeerRpc rpc = new PeerRpc(server, this, calls, admission);
            made = rpc;
            return rpc;
        }

        synchronized PeerRpc made() {
            if (made == null) {
                throw new IllegalStateException("the server of Ratis has made no connections");
            }
            return made;
        }
    }

    private PeerRpc(RaftServer server, Type type, Consensus.Calls calls, Admission admission) {
        this.server = server;
        this.type = type;
        this.calls = calls;
        this.admission = admission;
    }

    private interface Reading<T> {
        T read(ByteString bytes) throws IOException;
    }

    private <T> T call(RaftRpcRequestProto to, byte kind, ByteString request, Reading<T> reply) throws IOException {
        int peer = type.peers.indexOf(RaftPeerId.valueOf(to.getReplyId()));
        if (peer < 0) {
            throw new IOException("there is no server " + to.getReplyId().toStringUtf8());
        }
        return reply.read(ByteString.copyFrom(calls.call(peer, message(kind, request))));
    }

    private static byte[] message(byte kind, ByteString request) {
        byte[] message = new byte[1 + request.size()];
        message[0] = kind;
        request.copyTo(message, 1);
        return message;
    }

    /** Asks another server what it is. */
    Standing standing(int peer, RaftGroupId group) throws IOException {
        return Standing.read(calls.call(peer, message(STANDING, group.toByteString())));
    }

    byte[] answer(byte[] message) throws IOException {
        if (message.length == 0) {
            throw new IOException("a message of Raft is empty");
        }
        try {
            return answer(message[0], Arrays.copyOfRange(message, 1, message.length));
        } catch (RuntimeException e) {
            // Ratis does not expect that a message is none.
            throw new IOException("a message of Raft is malformed: " + e, e);
        }
    }

    private byte[] answer(byte kind, byte[] request) throws IOException {
        return switch (kind) {
            case VOTE -> {
                checkVotes();
                yield server.requestVote(RequestVoteRequestProto.parseFrom(request))
                        .toByteArray();
            }
            case APPEND -> {
                AppendEntriesRequestProto append = AppendEntriesRequestProto.parseFrom(request);
                checkFollows(append.getLeaderTerm());
                yield server.appendEntries(append).toByteArray();
            }
            case SNAPSHOT -> {
                InstallSnapshotRequestProto snapshot = InstallSnapshotRequestProto.parseFrom(request);
                checkFollows(snapshot.getLeaderTerm());
                yield server.installSnapshot(snapshot).toByteArray();
            }
            case ELECTION -> {
                checkVotes();
                yield server.startLeaderElection(StartLeaderElectionRequestProto.parseFrom(request))
                        .toByteArray();
            }
            case STANDING ->
                standing(RaftGroupId.valueOf(ByteString.copyFrom(request))).write();
            default -> throw new IOException("a message of Raft has the unknown kind " + kind);
        };
    }

    private void checkVotes() throws IOException {
        if (!admission.isMember()) {
            throw new IOException("this server has an empty folder, and takes no part in elections yet");
        }
        if (!admission.votes()) {
            throw new IOException("this server was just started, and takes no part in elections yet");
        }
    }

    private void checkFollows(long term) throws IOException {
        if (!admission.mayFollow(term)) {
            throw new IOException(
                    "this server has an empty folder, and does not follow a leader of term " + term + " yet");
        }
    }

    /** What this server is. */
    private Standing standing(RaftGroupId group) throws IOException {
        RaftServer.Division division = server.getDivision(group);
        return admission.standing(division.getInfo().getCurrentTerm(), last(division));
    }

    static TermIndex last(RaftServer.Division division) {
        TermIndex logged = division.getRaftLog().getLastEntryTermIndex();
        TermIndex applied = division.getStateMachine().getLastAppliedTermIndex();
        return Stream.of(logged, applied)
                .filter(Objects::nonNull)
                .max(TermIndex::compareTo)
                .orElse(TermIndex.INITIAL_VALUE);
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        checkVotes();
        return call(request.getServerRequest(), VOTE, request.toByteString(), RequestVoteReplyProto::parseFrom);
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        return call(request.getServerRequest(), APPEND, request.toByteString(), AppendEntriesReplyProto::parseFrom);
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        return call(request.getServerRequest(), SNAPSHOT, request.toByteString(), InstallSnapshotReplyProto::parseFrom);
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
            throws IOException {
        return call(
                request.getServerRequest(), ELECTION, request.toByteString(), StartLeaderElectionReplyProto::parseFrom);
    }

    @Override
    public RpcType getRpcType() {
        return type;
    }

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return NO_ADDRESS;
    }

    @Override
    public void start() {
        // The exchange listens already.
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> peers) {
        // Known from the start.
    }

    @Override
    public void handleException(RaftPeerId peer, Exception failure, boolean reconnect) {
        // The exchange connects anew by itself.
    }

    @Override
    public void close() {
        // The exchange closes its connections.
    }
}
