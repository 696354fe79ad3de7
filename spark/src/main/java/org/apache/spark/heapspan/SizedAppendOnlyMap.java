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
 * Spark's map of combiners, with the size that {@link CombinerSizes} computes. Spark's own map measures a sample of the entries each time the number of updates
 * has grown by a tenth. Used by the task's thread only.
 *
 * <p>Relies on {@code core/.../util/collection/SizeTrackingAppendOnlyMap.scala} and {@code SizeTracker.scala} of Spark 4.3: {@code resetSamples} takes samples,
 * and so does {@code afterUpdate} when the number of updates reaches {@code nextSampleNum}.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // With type parameters javac finds Scala's signatures contradictory.
final class SizedAppendOnlyMap extends SizeTrackingAppendOnlyMap implements CombinerSizes.Entries {
    private static final long serialVersionUID = 1L;

    private transient CombinerSizes sizes;
    private final transient CombinedValue latest;
    private final transient LongSupplier roomBytes;

    /** Whether an update is running. It calls functions of the program, which combine or compare keys. */
    private transient boolean changing;

    /** The value that was combined last. The map itself does not get it. */
    static final class CombinedValue {
        @Nullable
        Object value;
    }

    /**
     * Creates an empty map.
     *
     * @param updatesBefore as in {@link CombinerSizes.Source#begin}
     * @param roomBytes how much the map may take at the moment
     */
    SizedAppendOnlyMap(CombinerSizes.Source source, long updatesBefore, CombinedValue latest, LongSupplier roomBytes) {
        this.latest = latest;
        this.roomBytes = roomBytes;
        sizes = source.begin(this, updatesBefore);
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

    /** Whether an update is running. The map cannot be spilled then. */
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

    /** Returns the sorted entries. The map drops each entry when it is returned, because the caller may merge it with spilled entries, and it can then be large. */
    @Override
    public Iterator destructiveSortedIterator(Comparator order) {
        sizes = NOT_FOLLOWED;
        int hasNull = org$apache$spark$util$collection$AppendOnlyMap$$haveNullValue() ? 1 : 0;
        Iterator sorted = super.destructiveSortedIterator(order);
        @Nullable Object[] table = org$apache$spark$util$collection$AppendOnlyMap$$data();
        // Spark has moved the entries to the front of the table. The rest has old references.
        Arrays.fill(table, 2 * (size() - hasNull), table.length, null);
        return new Dropping(sorted, table, order, hasNull == 1);
    }

    /**
     * Sorted entries, in the order of the table. The entry of the key null is not in the table. Spark's map returns it first, wherever its place is. Then a
     * merge by hash codes, where null has 0, does not find equal keys with negative hash codes.
     */
    private static final class Dropping extends AbstractIterator {
        private final Iterator entries;
        private final @Nullable Object[] table;
        private final Comparator order;
        private @Nullable Object ofNull;
        private int index;

        Dropping(Iterator entries, @Nullable Object[] table, Comparator order, boolean hasNull) {
            this.entries = entries;
            this.table = table;
            this.order = order;
            ofNull = hasNull ? entries.next() : null;
        }

        @Override
        public boolean hasNext() {
            return ofNull != null || entries.hasNext();
        }

        @Override
        public Object next() {
            Object first = ofNull;
            if (first != null && (!entries.hasNext() || order.compare(null, table[2 * index]) <= 0)) {
                ofNull = null;
                return first;
            }
            Object entry = entries.next();
            table[2 * index] = null;
            table[2 * index + 1] = null;
            index++;
            return entry;
        }
    }

    /** After the last update no sample is needed. */
    private static final CombinerSizes NOT_FOLLOWED = new CombinerSizes() {
        @Override
        public void combined(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew) {
            throw new IllegalStateException(
                    "a value was added to a map of combiners whose entries are already being read");
        }

        @Override
        public long bytes(long roomBytes) {
            return 0;
        }
    };

    /** Does nothing. The superclass calls it before the constructor of this class has run. */
    @Override
    public void resetSamples() {}

    /** Never: Spark takes no samples. */
    @Override
    @SuppressWarnings("MethodName") // Scala's name of a private member of a trait.
    public long org$apache$spark$util$collection$SizeTracker$$nextSampleNum() {
        return Long.MAX_VALUE;
    }
}
