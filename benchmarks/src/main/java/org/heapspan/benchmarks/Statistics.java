package org.heapspan.benchmarks;

import java.util.Arrays;
import java.util.List;

/** What tables say of values that were measured several times. */
public final class Statistics {
    private Statistics() {}

    /** The middle value, or the mean of the two middle values; not a number if there are none. */
    public static double median(double[] values) {
        double[] sorted = sorted(values);
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** The median of a list; not a number if it is empty. */
    public static double median(List<Double> values) {
        return median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** Half the distance of the quartiles relative to the median; not a number if there are no values. */
    public static double spread(double[] values) {
        double[] sorted = sorted(values);
        int last = sorted.length - 1;
        return last < 0 ? Double.NaN : (sorted[(3 * last + 2) / 4] - sorted[last / 4]) / 2 / median(sorted);
    }

    private static double[] sorted(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
