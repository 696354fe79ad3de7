package org.heapspan.exchange.peers;

/**
 * What one of several servers that replicate their keys knows of one of them. For people.
 *
 * @param place where clients connect
 * @param isSelf whether it is the server that says so
 * @param leads whether it leads, as far as is known
 * @param silentMillis how long ago it was last heard of, or {@link Consensus#UNKNOWN}
 * @param isReachable whether that is as short as the leader and the others expect
 */
public record PeerView(String place, boolean isSelf, boolean leads, long silentMillis, boolean isReachable) {}
