package org.heapspan.spark.aggregate;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A uniform random sample of a stream of unknown length: each element has the same chance. Most elements cost one comparison, because the number of elements to
 * skip is drawn in advance (algorithm L of Li, "Reservoir-sampling algorithms of time complexity O(n(1 + log(N/n)))", 1994). Not thread-safe.
 */
final class Reservoir {
    private final @Nullable Object[] sample;
    private final SplittableRandom random;

    /** How many elements have been offered. */
    private long offered;

    /** Number of the next element that enters the sample, counted from 1. */
    private long taken;

    private double weight = 1;

    Reservoir(int size, long seed) {
        sample = new @Nullable Object[size];
        random = new SplittableRandom(seed);
    }

    void offer(@Nullable Object element) {
        if (++offered <= sample.length) {
            sample[(int) offered - 1] = element;
            if (offered == sample.length) {
                skip();
            }
        } else if (offered >= taken) {
            sample[random.nextInt(sample.length)] = element;
            skip();
        }
    }

    private void skip() {
        weight *= Math.exp(Math.log(positive()) / sample.length);
        taken = offered + 1 + (long) Math.floor(Math.log(positive()) / Math.log1p(-weight));
    }

    /** Above 0 and below 1. */
    private double positive() {
        return Math.max(random.nextDouble(), Double.MIN_NORMAL);
    }

    /** How many elements have been offered. */
    long offered() {
        return offered;
    }

    /**
     * A part of the sample, drawn at random. It is valid until the next call.
     *
     * @param most of its elements; it has all elements if they are fewer
     */
    List<@Nullable Object> sample(int most) {
        int count = (int) Math.min(offered, sample.length);
        int drawn = Math.min(most, count);
        // The sample remains the same set, so that the order of its elements may change.
        for (int i = 0; i < drawn && drawn < count; i++) {
            int other = i + random.nextInt(count - i);
            Object element = sample[other];
            sample[other] = sample[i];
            sample[i] = element;
        }
        return Arrays.asList(sample).subList(0, drawn);
    }
}
