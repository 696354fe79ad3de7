package org.heapspan.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * How many times as long a rival takes as Heapspan, for encode and decode together.
 *
 * <p>A figure differs more from JVM to JVM than from iteration to iteration. So the range of a ratio compares JVMs. Its lower end is the time of the
 * rival's fastest JVMs divided by that of Heapspan's slowest. Its upper end is the reverse. Each JVM counts with its median.
 *
 * @param factor the ratio of the medians over all JVMs
 * @param lowest the lower end of the range, {@code factor} or less
 * @param highest the upper end of the range, {@code factor} or more
 * @param jvms the smallest number of JVMs that one of the figures is of; with one there is no range
 */
record Ratio(double factor, double lowest, double highest, int jvms) {
    static Ratio of(Measurement heapspan, Measurement rival) {
        double factor = rival.sumNanos() / heapspan.sumNanos();
        return new Ratio(
                factor,
                Math.min(factor, fastest(rival) / slowest(heapspan)),
                Math.max(factor, slowest(rival) / fastest(heapspan)),
                Math.min(jvms(heapspan), jvms(rival)));
    }

    /** The factor with two digits, such as {@code 1.06x}, and the range if there is one. */
    @Override
    public String toString() {
        String text = String.format(Locale.ROOT, "%.2fx", factor);
        return jvms < 2 ? text : text + String.format(Locale.ROOT, " (%.2f to %.2f)", lowest, highest);
    }

    private static int jvms(Measurement measurement) {
        return Math.min(measurement.encode.size(), measurement.decode.size());
    }

    private static double fastest(Measurement measurement) {
        return fastest(measurement.encode) + fastest(measurement.decode);
    }

    private static double slowest(Measurement measurement) {
        return slowest(measurement.encode) + slowest(measurement.decode);
    }

    private static double fastest(Collection<List<Double>> jvms) {
        return jvms.stream().mapToDouble(Statistics::median).min().orElse(Double.NaN);
    }

    private static double slowest(Collection<List<Double>> jvms) {
        return jvms.stream().mapToDouble(Statistics::median).max().orElse(Double.NaN);
    }
}
