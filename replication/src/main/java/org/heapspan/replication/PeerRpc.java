package org.heapspan.replication;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
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
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
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

    private static final InetSocketAddress NO_ADDRESS = InetSocketAddress.createUnresolved("heapspan", 0);

    private final RaftServer server;
    private final Type type;

    /** Tells Ratis of this way. Ratis makes one by its name, and gets the one that has connections as a parameter. */
    static final class Type implements RpcType {
        private final Consensus.@Nullable Calls calls;
        private final List<RaftPeerId> peers;
        private @Nullable PeerRpc made;

        /** For Ratis. */
        Type() {
            calls = null;
            peers = List.of();
        }

        Type(Consensus.Calls calls, List<RaftPeerId> peers) {
            this.calls = calls;
            this.peers = peers;
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
            PeerRpc rpc = new PeerRpc(server, this);
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

    private PeerRpc(RaftServer server, Type type) {
        this.server = server;
        this.type = type;
    }

    private interface Reading<T> {
        T read(ByteString bytes) throws IOException;
    }

    private <T> T call(RaftRpcRequestProto to, byte kind, ByteString request, Reading<T> reply) throws IOException {
        int peer = type.peers.indexOf(RaftPeerId.valueOf(to.getReplyId()));
        Consensus.Calls calls = type.calls;
        if (peer < 0 || calls == null) {
            throw new IOException("there is no server " + to.getReplyId().toStringUtf8());
        }
        byte[] message = new byte[1 + request.size()];
        message[0] = kind;
        request.copyTo(message, 1);
        return reply.read(ByteString.copyFrom(calls.call(peer, message)));
    }

    byte[] answer(byte[] message) throws IOException {
        if (message.length == 0) {
            throw new IOException("a message of Raft is empty");
        }
        byte[] request = Arrays.copyOfRange(message, 1, message.length);
        return switch (message[0]) {
            case VOTE -> server.requestVote(RequestVoteRequestProto.parseFrom(request)).toByteArray();
            case APPEND -> server.appendEntries(AppendEntriesRequestProto.parseFrom(request)).toByteArray();
            case SNAPSHOT -> server.installSnapshot(InstallSnapshotRequestProto.parseFrom(request)).toByteArray();
            case ELECTION ->
                server.startLeaderElection(StartLeaderElectionRequestProto.parseFrom(request)).toByteArray();
            default -> throw new IOException("a message of Raft has the unknown kind " + message[0]);
        };
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        return call(request.getServerRequest(), VOTE, request.toByteString(), RequestVoteReplyProto::parseFrom);
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        return call(request.getServerRequest(), APPEND, request.toByteString(), AppendEntriesReplyProto::parseFrom);
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        return call(
                request.getServerRequest(), SNAPSHOT, request.toByteString(), InstallSnapshotReplyProto::parseFrom);
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
            throws IOException {
        return call(
                request.getServerRequest(),
                ELECTION,
                request.toByteString(),
                StartLeaderElectionReplyProto::parseFrom);
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
