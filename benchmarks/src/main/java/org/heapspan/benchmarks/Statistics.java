package org.heapspan.benchmarks;

import java.util.Arrays;

/** What tables say of values that were measured several times. */
public final class Statistics {
    private Statistics() {}

    /** The middle value, of an even number the upper one of two; not a number if there are none. */
    public static double median(double[] values) {
        double[] sorted = sorted(values);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** Half the distance of the quartiles relative to the median; not a number if there are no values. */
    public static double spread(double[] values) {
        double[] sorted = sorted(values);
        int last = sorted.length - 1;
        return last < 0 ? Double.NaN : (sorted[(3 * last + 2) / 4] - sorted[last / 4]) / 2 / sorted[sorted.length / 2];
    }

    private static double[] sorted(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
