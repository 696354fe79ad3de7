package org.heapspan.spark.aggregate;

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
    /** Bytes of objects. An object that several of them share counts once. */
    long of(List<? extends @Nullable Object> objects) {
        return objects.isEmpty() ? 0 : Math.max(0, walk.applyAsLong(objects.toArray()) - array(objects.size()));
    }

    /** Bytes of an array without what it refers to. */
    long array(int length) {
        return walk.applyAsLong(new Object[length]);
    }

    /**
     * Computes the bytes of all objects from a sample.
     *
     * @param sample the parts of the sampled objects, one object after the other
     * @param parts number of parts of an object
     * @param count number of all objects
     */
    long extrapolated(List<? extends @Nullable Object> sample, int parts, long count) {
        int sampled = sample.size() / parts;
        long all = of(sample);
        if (count <= sampled || sampled < 2) {
            return sampled == 0 ? 0 : all * Math.max(1, count / sampled);
        }
        int first = sampled / 2;
        long ofFirst = of(sample.subList(0, first * parts));
        double each = (double) Math.max(0, all - ofFirst) / (sampled - first);
        return ofFirst + (long) (each * (count - first));
    }
}
