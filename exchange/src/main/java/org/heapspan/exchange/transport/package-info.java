/**
 * Byte connections between a client and a server, each wait of which has a deadline. Knows nothing of messages. Internal.
 *
 * <p>Entry point: {@link Transport}. {@link TcpTransport} is for machines, {@link InProcessTransport} for tests and for a server in the same JVM.
 * {@link BusyWait} saves the time that it takes to wake a thread.
 *
 * <p>TLS is a connection around another one ({@link ClientTls}, {@link ServerTls}): nothing above knows of it.
 *
 * <p>Tests: {@code TransportTest}, {@code BusyWaitTest}, {@code TlsTest}.
 */
@NullMarked
package org.heapspan.exchange.transport;

import org.jspecify.annotations.NullMarked;
