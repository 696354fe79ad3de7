/**
 * What the process has encoded and decoded, and why the direct engine stood aside.
 *
 * <p>Entry point: {@link EngineCounters}.
 *
 * <p>Invariants: hot paths count in plain numbers of their own; the sum is made when somebody asks.
 *
 * <p>Tests: {@code EngineStatisticsTest}, {@code FallbackReasonTest}, {@code FlightRecordingTest}.
 */
@NullMarked
package org.heapspan.image.statistics;

import org.jspecify.annotations.NullMarked;
