package org.heapspan.spark.estimate;

import java.lang.ref.WeakReference;
import java.util.function.ToLongFunction;
import org.apache.spark.heapspan.TrackedSize;
import org.heapspan.spark.aggregate.AllocatedBytes;
import org.jspecify.annotations.Nullable;

/**
 * Answers most questions of Spark's collections for their own size without a visit of their objects. Spark asks each time the number of updates has grown by a tenth,
 * and begins to count anew when a map has grown. A collection is measured in these cases:
 *
 * <ul>
 *   <li>It asks for the first time, or begins to count anew.
 *   <li>Its number of updates has doubled since it was measured.
 *   <li>Since it was measured, the thread has allocated half as many bytes as it took then, and at least {@value #LEAST_ALLOCATED_BYTES}.
 * </ul>
 *
 * Between two measurements it is taken to grow as it did between the last two. It cannot have grown by more than the thread has allocated, but for objects that
 * were in memory before. Thread-safe: each thread has its own notes.
 */
public final class FewerEstimates implements ToLongFunction<Object> {
    /** Less than what Spark lets a collection take before it asks for memory ({@code spark.shuffle.spill.initialMemoryThreshold}). */
    static final long LEAST_ALLOCATED_BYTES = 4 << 20;

    private static final int MEASURED_GROWTH = 2;
    private static final int ALLOCATED_DIVISOR = 2;

    /** A task has a map of groups, values to cache and a buffer to sort at the same time, and seldom more. */
    private static final int COLLECTIONS = 4;

    private final ThreadLocal<Notes> notes = ThreadLocal.withInitial(Notes::new);
    private final ToLongFunction<Object> estimator;

    /** What is known of the collections of a thread. */
    private static final class Notes {
        final @Nullable Note[] latest = new Note[COLLECTIONS];
        int next;
    }

    /** What is known of a collection. */
    private static final class Note {
        final WeakReference<Object> collection;
        long countedBefore;
        long asked;
        long measuredUpdates;
        long measuredBytes;
        long measuredAllocated;
        double bytesPerUpdate;

        Note(Object collection) {
            this.collection = new WeakReference<>(collection);
        }
    }

    /**
     * Puts itself before an estimator.
     *
     * @param estimator measures objects; a negative number if it cannot
     */
    public FewerEstimates(ToLongFunction<Object> estimator) {
        this.estimator = estimator;
    }

    @Override
    public long applyAsLong(@Nullable Object object) {
        if (object == null || !TrackedSize.isOf(object) || !AllocatedBytes.areCounted()) {
            return estimator.applyAsLong(object);
        }
        long counted = TrackedSize.updates(object);
        Note note = noteOf(object);
        boolean isNew = note.measuredUpdates == 0;
        boolean beginsAnew = counted <= note.asked;
        if (beginsAnew) {
            note.countedBefore += note.asked;
        }
        note.asked = counted;
        long updates = note.countedBefore + counted;
        long allocated = AllocatedBytes.ofCurrentThread() - note.measuredAllocated;
        if (isNew
                || beginsAnew
                || updates >= MEASURED_GROWTH * note.measuredUpdates
                || allocated >= Math.max(LEAST_ALLOCATED_BYTES, note.measuredBytes / ALLOCATED_DIVISOR)) {
            return measure(object, note, updates, beginsAnew);
        }
        return note.measuredBytes + (long) (note.bytesPerUpdate * (updates - note.measuredUpdates));
    }

    private long measure(Object object, Note note, long updates, boolean hasNewTable) {
        long bytes = estimator.applyAsLong(object);
        if (bytes < 0) {
            // Spark measures it. The next question is like a first one.
            note.measuredUpdates = 0;
            return bytes;
        }
        long more = updates - note.measuredUpdates;
        // A table that has just become twice as large says nothing of the next updates.
        if (more > 0 && !hasNewTable) {
            note.bytesPerUpdate = Math.max(0, (double) (bytes - note.measuredBytes) / more);
        }
        note.measuredUpdates = updates;
        note.measuredBytes = bytes;
        note.measuredAllocated = AllocatedBytes.ofCurrentThread();
        return bytes;
    }

    private Note noteOf(Object collection) {
        Notes known = notes.get();
        for (Note note : known.latest) {
            if (note != null && note.collection.refersTo(collection)) {
                return note;
            }
        }
        Note added = new Note(collection);
        known.latest[known.next] = added;
        known.next = (known.next + 1) % COLLECTIONS;
        return added;
    }
}
