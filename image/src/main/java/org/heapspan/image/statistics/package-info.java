/**
 * Counters of the process: what was encoded and decoded, and why the direct engine was not used.
 *
 * <p>Entry point: {@link EngineCounters}.
 *
 * <p>Invariants: readers and writers count in their own plain fields. The sum is computed on request.
 *
 * <p>Tests: {@code EngineStatisticsTest}, {@code FallbackReasonTest}, {@code FlightRecordingTest}.
 */
@NullMarked
package org.heapspan.image.statistics;

import org.jspecify.annotations.NullMarked;
