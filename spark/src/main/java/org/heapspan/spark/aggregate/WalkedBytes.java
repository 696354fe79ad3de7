package org.heapspan.spark.aggregate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Extrapolates the size of many objects from a sample. The sample is measured in two halves. The second half does not count objects that the first half refers
 * to. So an object that all of them share counts once and is not multiplied.
 *
 * @param walk returns the bytes of an object and of all objects that it refers to
 */
record WalkedBytes(ToLongFunction<Object> walk) {
    /** Of a longer array Spark visits a part only ({@code ARRAY_SIZE_FOR_SAMPLING} of {@code SizeEstimator.scala}). */
    private static final int ARRAY_LENGTH = 400;

    /** Bytes of objects. An object that several of them share counts once. */
    long of(List<? extends @Nullable Object> objects) {
        List<Object> arrays = new ArrayList<>();
        long arrayBytes = 0;
        for (int begin = 0; begin < objects.size(); begin += ARRAY_LENGTH) {
            int length = Math.min(ARRAY_LENGTH, objects.size() - begin);
            arrays.add(objects.subList(begin, begin + length).toArray());
            arrayBytes += array(length);
        }
        return Math.max(0, walk.applyAsLong(arrays.toArray()) - array(arrays.size()) - arrayBytes);
    }

    /** Bytes of an array without what it refers to. */
    long array(int length) {
        return walk.applyAsLong(new Object[length]);
    }

    /**
     * Computes the bytes of all objects from a sample.
     *
     * @param known parts of objects that are counted one by one
     * @param sample the parts of the sampled objects, one object after the other
     * @param parts number of parts of an object
     * @param count number of all objects without the known ones
     */
    long extrapolated(
            List<? extends @Nullable Object> known, List<? extends @Nullable Object> sample, int parts, long count) {
        int sampled = sample.size() / parts;
        int half = sampled / 2;
        List<? extends @Nullable Object> first = sample.subList(0, half * parts);
        long ofFirst = of(joined(known, first));
        if (sampled == 0) {
            return ofFirst;
        }
        // The known objects may be large. They are visited again only if the sample is a single object.
        List<? extends @Nullable Object> before = half == 0 ? known : first;
        List<? extends @Nullable Object> second = sample.subList(half * parts, sample.size());
        long ofBefore = half == 0 || known.isEmpty() ? ofFirst : of(before);
        double each = (double) Math.max(0, of(joined(before, second)) - ofBefore) / (sampled - half);
        return ofFirst + (long) (each * (count - half));
    }

    private static List<@Nullable Object> joined(
            List<? extends @Nullable Object> first, List<? extends @Nullable Object> second) {
        List<@Nullable Object> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }
}
