package org.heapspan;

import java.util.List;
import java.util.Map;

/**
 * Counters of all instances of Heapspan in this process. This is an immutable snapshot. It can miss calls that run while it is taken. Counters
 * never decrease. {@link Heapspan#copy} is not counted.
 *
 * @param encoded images written, by encoding
 * @param decoded images read to their end, by encoding
 * @param chunksCarved chunks of raw images whose objects the direct engine made
 * @param fallbacks chunks of raw images whose objects the portable engine made, by reason; the most frequent first
 * @param windows the times for which the direct engine made garbage collections wait
 * @param verification images that both engines decoded to compare the results
 */
public record EngineStatistics(
        Map<Encoding, Traffic> encoded,
        Map<Encoding, Traffic> decoded,
        long chunksCarved,
        List<Fallback> fallbacks,
        Windows windows,
        Verification verification) {
    /** Copies the collections. */
    public EngineStatistics {
        encoded = Map.copyOf(encoded);
        decoded = Map.copyOf(decoded);
        fallbacks = List.copyOf(fallbacks);
    }

    /**
     * Images in one direction.
     *
     * @param images completed images: single graphs, groups and object streams
     * @param bytes of these images
     * @param records graphs in these images: 1 for a single graph, the records of a group, the objects that the program wrote to a stream
     */
    public record Traffic(long images, long bytes, long records) {}

    /**
     * Chunks that the portable engine read for one reason.
     *
     * @param reason the reason
     * @param concerning the class or layout, or the reason of the native code; empty if the reason needs no details
     * @param chunks how many
     */
    public record Fallback(FallbackReason reason, String concerning, long chunks) {}

    /**
     * The windows: times in which no garbage collection can begin.
     *
     * @param count number of windows, also of those in which native code declined the chunk
     * @param byLength element {@code i} counts windows of 2<sup>i</sup> to 2<sup>i+1</sup> - 1 nanoseconds; the first also shorter ones,
     *     the last longer ones; empty if there were none
     * @param longestNanos the longest
     */
    public record Windows(long count, List<Long> byLength, long longestNanos) {
        /** Copies the list. */
        public Windows {
            byLength = List.copyOf(byLength);
        }
    }

    /**
     * Images, or records of groups, that were decoded by both engines ({@link HeapspanBuilder#verify}).
     *
     * @param equal with equal results
     * @param inconclusive with results that cannot be compared, because the portable engine alone has different results each time: for example
     *     hash containers whose keys use identity hash codes, or hooks that read the clock
     * @param different with different results; if it is not 0, the direct engine is switched off
     */
    public record Verification(long equal, long inconclusive, long different) {}

    /**
     * Chunks of raw images whose objects the portable engine made.
     *
     * @return the sum over all reasons
     */
    public long chunksPortable() {
        return fallbacks.stream().mapToLong(Fallback::chunks).sum();
    }
}
