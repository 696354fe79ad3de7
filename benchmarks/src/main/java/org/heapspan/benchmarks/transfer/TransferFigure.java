package org.heapspan.benchmarks.transfer;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What was measured of one carrier with one number of elements of one data set over one channel; a bean for {@code transfer.json}. */
final class TransferFigure {
    public String channel = "";
    public String set = "";
    public String carrier = "";
    public int elements;
    public long sizeBytes;

    /** Medians of the windows in which each message waited for its answer. */
    public List<Long> latencyNanos = new ArrayList<>();

    /** For each window in which messages were sent without waiting: how many, how long it took, and the processor time of both JVMs. */
    public List<Long> messages = new ArrayList<>();

    public List<Long> nanos = new ArrayList<>();
    public List<Long> processorNanos = new ArrayList<>();

    boolean isOf(String otherChannel, String otherSet, String otherCarrier, int otherElements) {
        return channel.equals(otherChannel)
                && set.equals(otherSet)
                && carrier.equals(otherCarrier)
                && elements == otherElements;
    }

    /** From sending to answer, median of the windows. */
    @JsonIgnore
    double latency() {
        return quantile(latencies(), 0.5);
    }

    /** Nanoseconds for a message of a stream, median of the windows. */
    @JsonIgnore
    double time() {
        return quantile(times(), 0.5);
    }

    /** Nanoseconds of processor time for a message of a stream: the mean, because the clock goes in steps of 10 ms. */
    @JsonIgnore
    double processor() {
        return (double) sum(processorNanos) / sum(messages);
    }

    /** Half the distance of the quartiles relative to the median: of latency or time, the larger. */
    @JsonIgnore
    double spread() {
        return Math.max(spread(latencies()), spread(times()));
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }

    private double[] latencies() {
        return latencyNanos.stream().mapToDouble(Long::doubleValue).sorted().toArray();
    }

    private double[] times() {
        double[] times = new double[nanos.size()];
        for (int i = 0; i < times.length; i++) {
            times[i] = (double) nanos.get(i) / messages.get(i);
        }
        Arrays.sort(times);
        return times;
    }

    private static double spread(double[] sorted) {
        return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / quantile(sorted, 0.5);
    }

    private static double quantile(double[] sorted, double share) {
        double position = share * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
