package org.heapspan.exchange.metadata;

/** A committed key. */
record Key(String name, long version, Group group, long committedMillis) {}
