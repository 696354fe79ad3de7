/**
 * The global heap: objects with keys or addresses that JVMs share through a server (HotCloud'16, ZCOT). {@code docs/exchange.md} is the manual.
 *
 * <p>Entry points: {@link GlobalHeap} is a client, {@link ExchangeServer} a server within a program; {@code heapspan serve} is one by itself. {@link
 * GObject} has the three stages of a key, {@link GroupHandle} is a group with an address.
 *
 * <p>Below, lowest first: {@code transport} (bytes), {@code wire} (messages), {@code metadata} (keys, groups, addresses), {@code keeper} (files),
 * {@code client}, {@code peers} (servers that replicate their keys), {@code server}, {@code page} (the status page), {@code sharing} (values that many
 * objects have in common). They are internal.
 *
 * <p>Invariants: what is committed is complete and never changes. Every wait has a deadline. An object that is read is the reader's own copy,
 * but for the values that it shares with others.
 *
 * <p>Tests: {@code GlobalHeapTest}, {@code SeveralProcessesTest}, {@code SecretTest}, {@code HostileBytesTest}, {@code LeakTest}, {@code SharedValuesTest}.
 */
@NullMarked
package org.heapspan.exchange;

import org.jspecify.annotations.NullMarked;
