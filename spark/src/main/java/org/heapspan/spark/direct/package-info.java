/**
 * The permission of each JVM to use the direct engine: the user's setting, and the circuit breaker on the driver.
 *
 * <p>Entry points: {@link DirectEngineSwitch} applies the setting; {@link CircuitBreaker} is the driver's side and {@link DirectEnginePermission} that of an
 * executor, with {@link DirectEngineQuestion} and {@link DirectEngineAnswer} between them.
 *
 * <p>Invariants: the direct engine of an executor is off until the driver has allowed it. An executor asks when it first needs the engine, and waits for the answer for at most ten seconds. Without
 * an answer it uses the portable engine. Only signals of a crash, such as SIGSEGV, count as a crash.
 *
 * <p>Tests: {@code CircuitBreakerTest}, {@code FaultsIT}.
 */
@NullMarked
package org.heapspan.spark.direct;

import org.jspecify.annotations.NullMarked;
