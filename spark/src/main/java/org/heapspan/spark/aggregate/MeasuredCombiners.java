package org.heapspan.spark.aggregate;

import org.apache.spark.heapspan.CombinerSizes;
import org.apache.spark.util.SizeEstimator;
import org.jspecify.annotations.Nullable;

/** Creates a {@link GrowthBound} for each map of combiners. Measurements use Spark's {@link SizeEstimator}. Thread-safe. */
public final class MeasuredCombiners implements CombinerSizes.Source {
    private static final long serialVersionUID = 1L;
    private static final String GROUP = "org.apache.spark.util.collection.CompactBuffer";
    private static final int REFERENCES = 128;

    @Override
    public boolean works() {
        return AllocatedBytes.areCounted();
    }

    @Override
    public CombinerSizes begin(CombinerSizes.Entries entries, long updatesBefore) {
        return new GrowthBound(entries, updatesBefore, SizeEstimator::estimate, AllocatedBytes::ofCurrentThread);
    }

    /** Whether a combiner is a group that keeps the value and similar values as objects. False for a group of groups, and for a group that may hold primitives. */
    static boolean keepsValues(@Nullable Object value, @Nullable Object combiner) {
        return combiner != null
                && combiner != value
                && combiner.getClass().getName().equals(GROUP)
                && !(value instanceof Number || value instanceof Character || value instanceof Boolean);
    }

    static long referenceBytes(WalkedBytes walked) {
        return walked.array(REFERENCES) / REFERENCES;
    }
}
