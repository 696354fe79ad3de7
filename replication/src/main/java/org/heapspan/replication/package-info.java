/**
 * The consensus of servers that replicate their keys, on Apache Ratis (Raft). Internal; {@code heapspan-exchange} finds it by itself.
 *
 * <p>Entry point: {@link RatisFactory}. Messages of Raft go through the connections of the exchange ({@link PeerRpc}), so that its TLS, its secret
 * and its limits apply to them, and no other port is open. Neither gRPC nor Netty is used.
 *
 * <p>Tests: {@code ReplicationTest}, {@code ReplicatedHistoryTest}.
 */
@NullMarked
package org.heapspan.replication;

import org.jspecify.annotations.NullMarked;
