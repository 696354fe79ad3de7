package org.heapspan.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

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

    /** How many times as much another one takes, such as {@code 1.06x}; bold if it takes less, and a dash for not a number. */
    public static String factor(double factor) {
        if (Double.isNaN(factor)) {
            return "-";
        }
        String text = String.format(Locale.ROOT, "%.2fx", factor);
        // What prints as 1.00 is a draw.
        return factor < 0.995 ? "**" + text + "**" : text;
    }

    private static double[] sorted(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
