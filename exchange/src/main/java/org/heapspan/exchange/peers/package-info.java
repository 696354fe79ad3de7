/**
 * Servers that replicate their keys, and with them groups and types: each change is agreed on by a majority of them, and a majority has the bytes of
 * each group. Internal.
 *
 * <p>Entry point: {@link Replica}, one for each server. {@link Consensus} orders the changes; {@code heapspan-replication.jar} has it, on Apache
 * Ratis. {@link ReplicatedKeys} is what all servers know after the same changes. {@link Leadership} is the time in which one of them leads, and
 * {@link Leading} what it does then. {@link Holdings} are the groups whose bytes a server has, {@link KeyBytes} finds and fetches them, and
 * {@link OtherPeers} are the other servers.
 *
 * <p>Invariants: a change counts only in the run of the last leader that has begun, so what a former leader says later is nothing. A server
 * confirms bytes only to the leader whose run has begun for it, and keeps them at least until the next run has begun.
 *
 * <p>Tests: {@code ReplicatedKeysTest}, {@code LeadershipTest}, and those of the module {@code replication}.
 */
@NullMarked
package org.heapspan.exchange.peers;

import org.jspecify.annotations.NullMarked;
