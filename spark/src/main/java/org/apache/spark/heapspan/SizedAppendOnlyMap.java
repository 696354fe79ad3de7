package org.apache.spark.heapspan;

import java.util.function.LongSupplier;
import org.apache.spark.util.collection.SizeTrackingAppendOnlyMap;
import org.jspecify.annotations.Nullable;
import scala.Function2;

/**
 * Spark's map of combiners, whose size is what {@link CombinerSizes} says. Spark's own estimate walks through a sample of the entries each time the
 * number of updates has grown by a tenth. For the thread of the task.
 *
 * <p>Relies on {@code core/.../util/collection/SizeTrackingAppendOnlyMap.scala} and {@code SizeTracker.scala} of Spark 4.3: samples are taken by
 * {@code resetSamples}, and by {@code afterUpdate} when {@code nextSampleNum} is reached.
 */
@SuppressWarnings({"rawtypes", "unchecked"
}) // Java finds types of Scala at odds with one another if they have parameters.
final class SizedAppendOnlyMap extends SizeTrackingAppendOnlyMap implements CombinerSizes.Entries {
    private static final long serialVersionUID = 1L;

    private final transient CombinerSizes sizes;
    private final transient CombinedValue latest;
    private final transient LongSupplier roomBytes;

    /** Whether a function of the program combines, or compares keys. */
    private transient boolean changing;

    /** The value that has been combined last, which the map itself is not told. */
    static final class CombinedValue {
        @Nullable
        Object value;
    }

    SizedAppendOnlyMap(CombinerSizes.Source source, CombinedValue latest, LongSupplier roomBytes) {
        this.latest = latest;
        this.roomBytes = roomBytes;
        sizes = source.begin(this);
    }

    @Override
    public Object changeValue(Object key, Function2 update) {
        int before = size();
        changing = true;
        Object combiner = super.changeValue(key, update);
        sizes.combined(key, latest.value, combiner, size() != before);
        changing = false;
        return combiner;
    }

    /** Whether it is between two states, so that it cannot be spilled. */
    boolean isChanging() {
        return changing;
    }

    @Override
    public long estimateSize() {
        return sizes.bytes(roomBytes.getAsLong());
    }

    @Override
    public int count() {
        return size();
    }

    @Override
    @SuppressWarnings("NullAway") // A key may be null.
    public @Nullable Object combiner(@Nullable Object key) {
        return apply(key);
    }

    /** Takes none; also called before this object is made. */
    @Override
    public void resetSamples() {}

    /** Never, of Spark's own samples. */
    @Override
    @SuppressWarnings("MethodName") // Scala's name of a private member of a trait.
    public long org$apache$spark$util$collection$SizeTracker$$nextSampleNum() {
        return Long.MAX_VALUE;
    }
}
