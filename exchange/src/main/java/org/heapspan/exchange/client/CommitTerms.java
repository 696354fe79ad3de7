package org.heapspan.exchange.client;

/**
 * How a group becomes visible.
 *
 * @param raw whether its image may be raw
 * @param handOver whether it waits for one who takes it; without a key only
 * @param key its key, or empty
 * @param replacedVersion the version of the key that it replaces, or 0 if the key must be new
 * @param typeName class of the root, for people
 */
public record CommitTerms(boolean raw, boolean handOver, String key, long replacedVersion, String typeName) {}
