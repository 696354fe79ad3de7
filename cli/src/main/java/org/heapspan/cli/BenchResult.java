package org.heapspan.cli;

import java.util.Arrays;

/**
 * What was measured for a sample and a library.
 *
 * @param sample name of the sample
 * @param library name of the library
 * @param sizeBytes bytes of the encoded sample
 * @param encodeNanos nanoseconds for one encoding, of each round, ascending
 * @param decodeNanos nanoseconds for one decoding, of each round, ascending
 * @param failure why nothing was measured; empty if it was
 */
record BenchResult(
        String sample, String library, int sizeBytes, double[] encodeNanos, double[] decodeNanos, String failure) {
    static BenchResult failed(String sample, String library, String why) {
        return new BenchResult(sample, library, 0, new double[0], new double[0], why);
    }

    boolean measured() {
        return failure.isEmpty();
    }

    double encode() {
        return median(encodeNanos);
    }

    double decode() {
        return median(decodeNanos);
    }

    double both() {
        return encode() + decode();
    }

    private static double median(double[] ascending) {
        int middle = ascending.length / 2;
        return ascending.length % 2 == 1 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
    }

    /** Half the distance between the quartiles of the rounds, as a share of the median, of the worse direction. */
    double spread() {
        return Math.max(spread(encodeNanos), spread(decodeNanos));
    }

    private static double spread(double[] ascending) {
        int quarter = ascending.length / 4;
        return (ascending[ascending.length - 1 - quarter] - ascending[quarter]) / 2 / median(ascending);
    }

    static double[] ascending(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
