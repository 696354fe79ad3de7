/**
 * The server: accepts connections, knows who is there, and combines metadata and keeper. Internal.
 *
 * <p>Entry point: {@link Server}. Each connection has a thread ({@link ServerConnection}). What it asks for
 * is in a {@link Space}: {@link OwnSpace} of a server, {@link JoinedSpace} of a keeper that has joined one.
 *
 * <p>Invariants: whatever a client sends, it can end its own connection only. Every wait has a deadline.
 *
 * <p>Tests: {@code GlobalHeapTest}, {@code JoinedServerTest}, {@code LostReplyTest}, {@code HostileBytesTest}, {@code SecretTest}, {@code
 * UploadTest}, {@code ServerTest}, {@code OriginTest}, {@code OwnSpaceTest}.
 */
@NullMarked
package org.heapspan.exchange.server;

import org.jspecify.annotations.NullMarked;
