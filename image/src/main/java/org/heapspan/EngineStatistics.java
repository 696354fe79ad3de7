package org.heapspan;

import java.util.List;
import java.util.Map;

/**
 * Counts of what all instances of Heapspan have done in this process: an immutable snapshot, which may miss what happens meanwhile. Counts never
 * decrease from one snapshot to a later one. {@link Heapspan#copy} is not counted, because it makes no image that leaves.
 *
 * @param encoded images written, by encoding
 * @param decoded images read to their end, by encoding
 * @param chunksCarved chunks of raw images whose objects the direct engine made
 * @param fallbacks chunks of raw images whose objects the portable engine made, by reason; the most frequent first
 * @param windows how long the direct engine kept collections waiting
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
     * @param images single graphs, groups and object streams that have come to their end
     * @param bytes of these images
     * @param records graphs in them: one of a single graph, all of a group, the objects written to a stream by the program
     */
    public record Traffic(long images, long bytes, long records) {}

    /**
     * Chunks that the portable engine read for one reason.
     *
     * @param reason why
     * @param concerning the class or layout that is concerned, or the carver's reason; empty if the reason says it all
     * @param chunks how many
     */
    public record Fallback(FallbackReason reason, String concerning, long chunks) {}

    /**
     * The windows in which no collection can begin.
     *
     * @param count how many there were, those included in which the carver declined
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
     * @param inconclusive with results that cannot be compared: the portable engine's differ among themselves, as hash containers do
     *     whose keys hash by identity, or hooks that look at the clock
     * @param different with results that differ; 0, or the direct engine is switched off
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
