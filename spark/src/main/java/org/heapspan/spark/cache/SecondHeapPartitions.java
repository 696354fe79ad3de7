package org.heapspan.spark.cache;

import java.util.Collections;
import java.util.Iterator;
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

    /**
     * Creates the storage.
     *
     * @param heap where partitions go; the caller closes it
     * @param counters are told what happens
     * @param mostRecordBytes partitions that have a longer record are not kept: each time that it is read takes as much of the Java heap again
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
    public boolean takes(Class<?> recordClass) {
        return !recordClass.getName().equals(NATIVE_BATCH) && (takesDatasets || !DatasetBatches.are(recordClass));
    }

    @Override
    public <T> Outcome<T> keep(RDDBlockId partition, Iterator<T> values) {
        Source<T> source = new Source<>(values);
        try (H2Appender<T> appender = heap.appender(Label.of(partition.rddId()), codec(), mostRecordBytes)) {
            try {
                appender.addAll(source);
                InHeap kept = new InHeap(appender.finish());
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
                return new Outcome<>(null, new Joined<>(appender.takeBack(), values), why);
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
        private final H2Sequence<?> sequence;

        private final long bytes;

        InHeap(H2Sequence<?> sequence) {
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
            return new Reading(sequence.iterator());
        }

        @Override
        public void close() {
            counters.removed(bytes);
            sequence.close();
        }
    }

    /** Records that are being read of the heap. */
    private record Reading(H2Iterator<?> elements) implements Values {
        @Override
        public boolean hasNext() {
            return elements.hasNext();
        }

        @Override
        @SuppressWarnings("NullAway") // What was cached, null included.
        public Object next() {
            return elements.next();
        }

        @Override
        public boolean isLoss(RuntimeException failure) {
            // What has been closed, or has no further value, is not lost.
            return failure instanceof HeapspanException known && known.category() != Category.USAGE;
        }

        @Override
        public boolean isOfObjects(RuntimeException failure) {
            return isLoss(failure)
                    && failure instanceof HeapspanException known
                    && known.category() != Category.IO
                    && known.category() != Category.MALFORMED;
        }

        @Override
        public void close() {
            elements.close();
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

    /** The records of a partition. Tells failures of what delivers them from others. */
    private static final class Source<T> implements Iterator<T> {
        private final Iterator<T> values;
        private @Nullable Throwable failure;

        Source(Iterator<T> values) {
            this.values = values;
        }

        @Override
        public boolean hasNext() {
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
