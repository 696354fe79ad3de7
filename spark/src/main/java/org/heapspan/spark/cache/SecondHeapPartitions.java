package org.heapspan.spark.cache;

import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.heapspan.PartitionStorage;
import org.apache.spark.storage.RDDBlockId;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.h2.H2Appender;
import org.heapspan.h2.H2Iterator;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.heapspan.spark.statistics.CachedPartitions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps cached partitions in a second heap, where the collector does not see them. All partitions of an RDD have one label (TeraHeap section 5).
 * Objects that several records of a partition refer to become several, but for {@link SharedGraphParts}. Thread-safe.
 */
final class SecondHeapPartitions implements PartitionStorage {
    private final SecondHeap heap;
    /** Outside of the heap already. By name: an application without native programs does not load the class. */
    private static final String NATIVE_BATCH = "org.heapspan.spark.nativerdd.RddBatch";

    private final CacheCodecs codecs;
    private final CachedPartitions counters;
    private final long mostRecordBytes;
    private final boolean takesDatasets;
    /** RDDs with objects that can be written, and not be read. Spark keeps further partitions of these. */
    private final Set<Integer> unreadable = ConcurrentHashMap.newKeySet();

    /**
     * Creates the storage.
     *
     * @param heap where partitions go; the caller closes it
     * @param counters are told what happens
     * @param mostRecordBytes partitions that have a longer record are not kept: each time that it is read takes as much of the Java heap again. Neither
     *     are longer partitions that are replicated
     * @param takesDatasets whether partitions of cached Datasets belong here
     */
    SecondHeapPartitions(
            SecondHeap heap,
            CacheCodecs codecs,
            CachedPartitions counters,
            long mostRecordBytes,
            boolean takesDatasets) {
        this.heap = heap;
        this.codecs = codecs;
        this.counters = counters;
        this.mostRecordBytes = mostRecordBytes;
        this.takesDatasets = takesDatasets;
    }

    @Override
    public boolean takes(RDDBlockId partition, Class<?> recordClass) {
        return !recordClass.getName().equals(NATIVE_BATCH)
                && (takesDatasets || !DatasetBatches.are(recordClass))
                && !unreadable.contains(partition.rddId());
    }

    /** Memory or the stack may have been too small for one object. */
    @Override
    public boolean losesOthers(Throwable failure) {
        return !(failure instanceof HeapspanException known && known.category() == Category.LIMIT);
    }

    /** Takes note of an RDD if its objects, and not the storage, are why they could not be read. */
    private void noteUnread(int rdd, Throwable failure) {
        boolean isOfObjects = failure instanceof HeapspanException known
                ? known.category() != Category.USAGE
                        && known.category() != Category.IO
                        && known.category() != Category.MALFORMED
                : isOfMethod(failure);
        if (isOfObjects) {
            unreadable.add(rdd);
        }
    }

    /** Whether a method of an object that is read has thrown it. */
    private static boolean isOfMethod(Throwable failure) {
        return failure instanceof Error && !(failure instanceof VirtualMachineError);
    }

    @Override
    public <T> Outcome<T> keep(RDDBlockId partition, Iterator<T> values, boolean isReplicated) {
        try (H2Appender<T> appender = heap.appender(Label.of(partition.rddId()), codec(), mostRecordBytes)) {
            Source<T> source = new Source<>(values, appender, isReplicated ? mostRecordBytes : Long.MAX_VALUE);
            try {
                appender.addAll(source);
                InHeap kept = new InHeap(partition.rddId(), appender.finish());
                counters.stored(kept.bytes());
                return new Outcome<>(kept, Collections.emptyIterator(), "");
            } catch (RuntimeException | Error e) {
                // Records that others change meanwhile, and their methods, may fail in any way.
                if (source.failure == e || e instanceof VirtualMachineError) {
                    // What computes the partition has failed, or the JVM, not the second heap.
                    throw e;
                }
                counters.declined(partition, e);
                String why = e instanceof HeapspanException ? String.valueOf(e.getMessage()) : e.toString();
                return new Outcome<>(
                        null, new Joined<>(new Noted<>(partition.rddId(), appender.takeBack()), values), why);
            }
        }
    }

    /** Tasks of a session of its own (Spark Connect, artifacts) find their classes there; others, such as copies from other hosts, where this JVM does. */
    private Heapspan codec() {
        return codecs.of(
                TaskContext.get() == null ? null : Thread.currentThread().getContextClassLoader());
    }

    /** A partition in the heap. The sequence holds its codec, so that the partitions of a session share one. */
    private final class InHeap implements Kept {
        private final int rdd;
        private final H2Sequence<?> sequence;

        private final long bytes;

        InHeap(int rdd, H2Sequence<?> sequence) {
            this.rdd = rdd;
            this.sequence = sequence;
            bytes = sequence.imageBytes();
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public Values values() {
            counters.read(bytes);
            return new Reading(rdd, sequence.iterator());
        }

        @Override
        public void close() {
            counters.removed(bytes);
            sequence.close();
        }
    }

    /** Records that are being read of the heap. */
    private final class Reading implements Values {
        private final H2Iterator<?> elements;
        private final Iterator<?> noted;

        Reading(int rdd, H2Iterator<?> elements) {
            this.elements = elements;
            noted = new Noted<>(rdd, elements);
        }

        @Override
        public boolean hasNext() {
            return noted.hasNext();
        }

        @Override
        @SuppressWarnings("NullAway") // What was cached, null included.
        public Object next() {
            return noted.next();
        }

        @Override
        public boolean isLoss(Throwable failure) {
            // What has been closed, or has no further value, is not lost.
            return failure instanceof HeapspanException known
                    ? known.category() != Category.USAGE
                    : isOfMethod(failure);
        }

        @Override
        public void close() {
            elements.close();
        }
    }

    /** Records of an RDD that were written and are read again; {@linkplain #noteUnread takes note} if they cannot be. */
    private final class Noted<T> implements Iterator<T> {
        private final int rdd;
        private final Iterator<T> elements;

        Noted(int rdd, Iterator<T> elements) {
            this.rdd = rdd;
            this.elements = elements;
        }

        @Override
        public boolean hasNext() {
            try {
                return elements.hasNext();
            } catch (RuntimeException | Error e) {
                noteUnread(rdd, e);
                throw e;
            }
        }

        @Override
        public T next() {
            try {
                return elements.next();
            } catch (RuntimeException | Error e) {
                noteUnread(rdd, e);
                throw e;
            }
        }
    }

    /** One iterator behind the other, the second only asked when the first has ended. */
    private record Joined<T>(Iterator<T> first, Iterator<T> second) implements Iterator<T> {
        @Override
        public boolean hasNext() {
            return first.hasNext() || second.hasNext();
        }

        @Override
        public T next() {
            return first.hasNext() ? first.next() : second.next();
        }
    }

    /** The records of a partition, as long as it is not too large. Tells failures of what delivers them from others. */
    private static final class Source<T> implements Iterator<T> {
        private final Iterator<T> values;
        private final H2Appender<T> target;
        private final long mostBytes;
        private @Nullable Throwable failure;

        Source(Iterator<T> values, H2Appender<T> target, long mostBytes) {
            this.values = values;
            this.target = target;
            this.mostBytes = mostBytes;
        }

        @Override
        public boolean hasNext() {
            if (target.imageBytes() > mostBytes) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "its storage level replicates it, and it takes more than " + mostBytes
                                + " bytes; use more partitions, or a level without replication");
            }
            try {
                return values.hasNext();
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public T next() {
            try {
                return values.next();
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
        }
    }
}
