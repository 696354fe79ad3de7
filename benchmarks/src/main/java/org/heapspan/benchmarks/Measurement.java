package org.heapspan.benchmarks;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;

/** The figures of one peer on one data set in one kind of JVM; a bean for {@code codec.json}. */
final class Measurement extends OfRun {
    public String jdk = "";
    public String collector = "";
    public Call call = Call.CHUNK;
    public String set = "";
    public String peer = "";
    public int records;
    public double bytesPerRecord;

    /** Empty, or why there are no times. */
    public String remark = "";

    /** Nanoseconds per record, a list of iterations for each fork. */
    public List<List<Double>> encode = List.of();

    public List<List<Double>> decode = List.of();

    /** Median over all iterations of all forks. */
    double encodeNanos() {
        return quantile(encode, 0.5);
    }

    /** Median over all iterations of all forks. */
    double decodeNanos() {
        return quantile(decode, 0.5);
    }

    double sumNanos() {
        return encodeNanos() + decodeNanos();
    }

    /** Half the distance of the quartiles relative to the median: of encode or decode, the larger. */
    double spread() {
        return Math.max(spread(encode), spread(decode));
    }

    @JsonIgnore
    boolean isTimed() {
        return remark.isEmpty() && !encode.isEmpty() && !decode.isEmpty();
    }

    /** Tells whether the other is about the same peer, data set, call and JVM. */
    boolean replaces(Measurement other) {
        return isComparableWith(other) && peer.equals(other.peer);
    }

    /** Tells whether the other differs in the peer alone. */
    boolean isComparableWith(Measurement other) {
        return jdk.equals(other.jdk)
                && collector.equals(other.collector)
                && call == other.call
                && set.equals(other.set);
    }

    private static double spread(List<List<Double>> forks) {
        return (quantile(forks, 0.75) - quantile(forks, 0.25)) / 2 / quantile(forks, 0.5);
    }

    private static double quantile(List<List<Double>> forks, double share) {
        double[] sorted = forks.stream()
                .flatMap(List::stream)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double position = share * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
