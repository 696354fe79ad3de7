/**
 * The status page of a server, for a browser on the same host. Internal.
 *
 * <p>Entry point: {@link StatusPage}. {@link TrafficHistory} remembers the last minutes, {@link PageData} is what the page shows.
 * {@link AnswerThreads} do not wait for slow clients.
 *
 * <p>Invariants: only who knows the token in the address sees anything. The page loads nothing from elsewhere, and changes nothing.
 *
 * <p>Tests: {@code StatusPageTest}; a browser shows the page in {@code StatusPageIT}.
 */
@NullMarked
package org.heapspan.exchange.page;

import org.jspecify.annotations.NullMarked;
