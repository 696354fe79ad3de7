/**
 * Whether a JVM of the application may use the direct engine: the user's key, and the driver's memory of crashes.
 *
 * <p>Entry points: {@link DirectEngineSwitch} hands on the key; {@link CircuitBreaker} is the driver's side and {@link DirectEnginePermission} that of an
 * executor, with {@link DirectEngineQuestion} and {@link DirectEngineAnswer} between them.
 *
 * <p>Invariants: the direct engine of an executor stays closed until the driver has allowed it. Without an answer, the portable engine does the work; it
 * waits ten seconds for one at most. Only signals that a process raises by its own fault count as a crash.
 *
 * <p>Tests: {@code CircuitBreakerTest}, {@code FaultsIT}.
 */
@NullMarked
package org.heapspan.spark.direct;

import org.jspecify.annotations.NullMarked;
