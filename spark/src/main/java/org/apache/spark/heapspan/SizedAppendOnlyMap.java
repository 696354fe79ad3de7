package org.apache.spark.heapspan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.LongSupplier;
import org.apache.spark.util.collection.SizeTrackingAppendOnlyMap;
import org.jspecify.annotations.Nullable;
import scala.Function2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

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

    private transient CombinerSizes sizes;
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

    /** In which each entry is dropped when it is handed out: merged with what was spilled it may be much larger, and is for others to keep. */
    @Override
    public Iterator destructiveSortedIterator(Comparator order) {
        sizes = NOT_FOLLOWED;
        int hasNull = org$apache$spark$util$collection$AppendOnlyMap$$haveNullValue() ? 1 : 0;
        Iterator sorted = super.destructiveSortedIterator(order);
        @Nullable Object[] table = org$apache$spark$util$collection$AppendOnlyMap$$data();
        // Behind the entries is what was there before they were put together.
        Arrays.fill(table, 2 * (size() - hasNull), table.length, null);
        return new Dropping(sorted, table, -hasNull);
    }

    /** Entries of a map whose table has them in this order; that of null comes first and is elsewhere. */
    private static final class Dropping extends AbstractIterator {
        private final Iterator entries;
        private final @Nullable Object[] table;
        private int index;

        Dropping(Iterator entries, @Nullable Object[] table, int index) {
            this.entries = entries;
            this.table = table;
            this.index = index;
        }

        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public Object next() {
            Object entry = entries.next();
            if (index >= 0) {
                table[2 * index] = null;
                table[2 * index + 1] = null;
            }
            index++;
            return entry;
        }
    }

    /** When nothing more comes, nothing is remembered of what has come. */
    private static final CombinerSizes NOT_FOLLOWED = new CombinerSizes() {
        @Override
        public void combined(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew) {
            throw new IllegalStateException("a value is combined in a map whose entries are being read");
        }

        @Override
        public long bytes(long roomBytes) {
            return 0;
        }
    };

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
