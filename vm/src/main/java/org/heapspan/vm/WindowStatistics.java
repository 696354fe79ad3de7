package org.heapspan.vm;

import java.util.List;
import java.util.Map;

/**
 * How often and for how long the carver kept collections waiting; a snapshot, which may miss what happens meanwhile.
 *
 * @param windows number of windows, declined ones included
 * @param declines how often each reason was met; reasons that never were are missing
 * @param windowsByLength element {@code i} counts windows of 2<sup>i</sup> to 2<sup>i+1</sup> - 1 nanoseconds; the first also shorter
 *     ones, the last longer ones
 * @param longestNanos the longest window
 */
public record WindowStatistics(
        long windows, Map<Decline, Long> declines, List<Long> windowsByLength, long longestNanos) {
    public WindowStatistics {
        declines = Map.copyOf(declines);
        windowsByLength = List.copyOf(windowsByLength);
    }
}
