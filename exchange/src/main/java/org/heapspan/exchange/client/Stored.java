package org.heapspan.exchange.client;

/**
 * A group that this client has committed. Immutable.
 *
 * @param session with the server that has it
 * @param address of its first byte
 * @param version of its key, or 0 if it has none
 */
public record Stored(ServerSession session, long address, long version) {}
