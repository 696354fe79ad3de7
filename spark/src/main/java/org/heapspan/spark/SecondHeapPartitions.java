package org.heapspan.spark;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.heapspan.PartitionStorage;
import org.apache.spark.storage.RDDBlockId;
import org.heapspan.HeapspanException;
import org.heapspan.h2.H2Appender;
import org.heapspan.h2.H2Iterator;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps cached partitions in a second heap, where the collector does not see them. All partitions of an RDD have one label (TeraHeap section 5).
 * Objects that several records of a partition refer to become several, but for {@link SharedGraphParts}. Thread-safe.
 */
final class SecondHeapPartitions implements PartitionStorage {
    private final SecondHeap heap;
    private final CacheCodecs codecs;
    private final CachedPartitions counters;

    /**
     * Creates the storage.
     *
     * @param heap where partitions go; the caller closes it
     * @param counters are told what happens
     */
    SecondHeapPartitions(SecondHeap heap, CacheCodecs codecs, CachedPartitions counters) {
        this.heap = heap;
        this.codecs = codecs;
        this.counters = counters;
    }

    @Override
    public <T> Outcome<T> keep(RDDBlockId partition, Iterator<T> values) {
        CacheCodec codec = codec();
        Source<T> source = new Source<>(values, codec);
        try (H2Appender<T> appender = heap.appender(Label.of(partition.rddId()), codec.heapspan())) {
            try {
                appender.addAll(source);
                InHeap kept = new InHeap(appender.finish(), codec);
                counters.stored(kept.bytes());
                return new Outcome<>(kept, Collections.emptyIterator(), "");
            } catch (HeapspanException e) {
                if (source.failure == e) {
                    // What computes the partition has failed, not the second heap.
                    throw e;
                }
                counters.declined(partition, e);
                return new Outcome<>(
                        null, new Joined<>(appender.takeBack(), source.rest()), String.valueOf(e.getMessage()));
            }
        }
    }

    /** Tasks of a session of its own (Spark Connect, artifacts) find their classes there; others, such as copies from other hosts, where this JVM does. */
    private CacheCodec codec() {
        return codecs.of(
                TaskContext.get() == null ? null : Thread.currentThread().getContextClassLoader());
    }

    /** A partition in the heap. Holds the codec so that the partitions of a session share one. */
    private final class InHeap implements Kept {
        private final H2Sequence<?> sequence;

        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private final CacheCodec codec;

        private final long bytes;

        InHeap(H2Sequence<?> sequence, CacheCodec codec) {
            this.sequence = sequence;
            this.codec = codec;
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

    /**
     * The records of a partition. Tells failures of what delivers them from others, and those that could be written and not be read again: of a
     * class that the codec's loader would not find, such as one that a program has compiled for itself.
     */
    private static final class Source<T> implements Iterator<T> {
        private final Iterator<T> values;
        private final CacheCodec codec;
        private @Nullable Throwable failure;

        /** A record that was drawn and not delivered. */
        private @Nullable T kept;

        private @Nullable Class<?> latest;

        Source(Iterator<T> values, CacheCodec codec) {
            this.values = values;
            this.codec = codec;
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
            T value;
            try {
                value = values.next();
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
            if (value != null && value.getClass() != latest) {
                if (!codec.finds(value.getClass())) {
                    kept = value;
                    throw new HeapspanException(
                            HeapspanException.Category.CLASS_REFUSED,
                            "records of " + value.getClass().getName()
                                    + " could not be read again, as the class loader of the session does not find that class");
                }
                latest = value.getClass();
            }
            return value;
        }

        /** What {@link #next} has not delivered. */
        Iterator<T> rest() {
            T first = kept;
            return first == null ? values : new Joined<>(List.of(first).iterator(), values);
        }
    }
}
