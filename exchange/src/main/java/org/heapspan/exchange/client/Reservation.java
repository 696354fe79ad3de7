package org.heapspan.exchange.client;

/**
 * Space for a group that is not committed yet. Immutable.
 *
 * @param session with the server that has reserved it
 * @param address of its first byte
 * @param sizeBytes its length
 */
public record Reservation(ServerSession session, long address, long sizeBytes) {}
