package org.apache.spark.heapspan;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.memory.BlockEvictionHandler;
import org.apache.spark.storage.memory.MemoryStore;
import org.apache.spark.storage.memory.PartiallyUnrolledIterator;
import org.heapspan.HeapspanException;
import org.heapspan.h2.H2Appender;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Some;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.util.Either;
import scala.util.Right;

/**
 * Spark's store of blocks in memory, in which cached partitions of objects lie in a {@link SecondHeap}: they take no storage memory and the collector
 * does not see them. Everything else is Spark's: serialized levels, broadcasts, and partitions that the second heap cannot take, because it
 * is full or because they hold what has no image.
 *
 * <p>A partition is written while it is computed, a group of records at a time, so that nothing has to be unrolled in memory; and read the same way.
 * Objects that several records of a partition refer to become several. All partitions of an RDD have one label (TeraHeap section 5).
 *
 * <p>Thread-safe as Spark's: {@link BlockInfoManager} lets one thread write a block, and nobody remove one that is being read.
 *
 * <p>Relies on {@code core/.../storage/memory/MemoryStore.scala} and on how {@code core/.../storage/BlockManager.scala} uses it, of Spark 4.3.
 */
public final class SecondHeapStore extends MemoryStore {
    private final SecondHeap heap;
    private final @Nullable ClassLoader loader;
    private final SecondHeapCounters counters;

    /** The partitions in the second heap. Guarded by itself. */
    private final Map<BlockId, H2Sequence<?>> partitions = new LinkedHashMap<>();

    /**
     * Creates a store.
     *
     * @param heap where partitions go; the caller closes it
     * @param loader where the heap finds classes
     * @param counters are told what happens
     */
    SecondHeapStore(
            SparkConf conf,
            BlockInfoManager blocks,
            SerializerManager serializers,
            MemoryManager memory,
            BlockEvictionHandler evictions,
            SecondHeap heap,
            @Nullable ClassLoader loader,
            SecondHeapCounters counters) {
        super(conf, blocks, serializers, memory, evictions);
        this.heap = heap;
        this.loader = loader;
        this.counters = counters;
    }

    @Override
    public <T> Either<PartiallyUnrolledIterator<T>, Object> putIteratorAsValues(
            BlockId block, scala.collection.Iterator<T> values, MemoryMode mode, ClassTag<T> tag) {
        // Sessions of Spark Connect have loaders of their own, in which other classes may have the same names.
        if (!(block instanceof RDDBlockId partition)
                || Thread.currentThread().getContextClassLoader() != loader) {
            return super.putIteratorAsValues(block, values, mode, tag);
        }
        Source<T> source = new Source<>(values);
        try (H2Appender<T> appender = heap.appender(Label.of(partition.rddId()))) {
            try {
                appender.addAll(source);
                H2Sequence<T> sequence = appender.finish();
                synchronized (partitions) {
                    partitions.put(block, sequence);
                }
                counters.stored(sequence.elementCount(), sequence.imageBytes());
                return new Right<>(sequence.imageBytes());
            } catch (HeapspanException e) {
                if (source.failure == e) {
                    // What computes the partition has failed, not the second heap.
                    throw e;
                }
                counters.declined(partition, e);
                scala.collection.Iterator<T> taken = CollectionConverters.asScala(appender.takeBack());
                return super.putIteratorAsValues(block, taken.concat(() -> values), mode, tag);
            }
        }
    }

    /** Tells failures of what delivers the records from others. */
    private static final class Source<T> implements Iterator<T> {
        private final scala.collection.Iterator<T> values;
        private @Nullable Throwable failure;

        Source(scala.collection.Iterator<T> values) {
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

    @Override
    public Option<scala.collection.Iterator<Object>> getValues(BlockId block) {
        H2Sequence<?> sequence = find(block);
        if (sequence == null) {
            return super.getValues(block);
        }
        counters.read(sequence.elementCount(), sequence.imageBytes());
        @SuppressWarnings("unchecked") // Spark's values are objects.
        Iterator<Object> values = (Iterator<Object>) sequence.elements().iterator();
        return new Some<>(CollectionConverters.asScala(values));
    }

    private @Nullable H2Sequence<?> find(BlockId block) {
        synchronized (partitions) {
            return partitions.get(block);
        }
    }

    @Override
    public boolean contains(BlockId block) {
        return find(block) != null || super.contains(block);
    }

    @Override
    public long getSize(BlockId block) {
        H2Sequence<?> sequence = find(block);
        return sequence == null ? super.getSize(block) : sequence.imageBytes();
    }

    @Override
    public boolean remove(BlockId block) {
        H2Sequence<?> sequence;
        synchronized (partitions) {
            sequence = partitions.remove(block);
        }
        if (sequence == null) {
            return super.remove(block);
        }
        // Storage memory was never taken for it, so that none is released.
        counters.removed(sequence.elementCount(), sequence.imageBytes());
        sequence.close();
        return true;
    }

    @Override
    public void clear() {
        List<BlockId> all;
        synchronized (partitions) {
            all = new ArrayList<>(partitions.keySet());
        }
        all.forEach(this::remove);
        super.clear();
    }

    /**
     * Puts a store that uses a second heap in the place of this JVM's, which must be empty.
     *
     * @param environment of this JVM
     * @param heap where cached partitions go from now on; the caller closes it, after Spark has stopped
     * @param loader where the heap finds classes
     * @param counters are told what happens
     * @throws ReflectiveOperationException if this version of Spark keeps its store elsewhere, or the store does not work here; then nothing has
     *     changed
     */
    public static void install(
            SparkEnv environment, SecondHeap heap, @Nullable ClassLoader loader, SecondHeapCounters counters)
            throws ReflectiveOperationException {
        MemoryStoreField field = MemoryStoreField.of(environment.blockManager());
        MemoryManager memory = environment.memoryManager();
        if (memory.storageMemoryUsed() != 0) {
            throw new IllegalAccessException("blocks are in memory already");
        }
        SecondHeapStore store = new SecondHeapStore(
                environment.conf(),
                environment.blockManager().blockInfoManager(),
                environment.blockManager().serializerManager(),
                memory,
                environment.blockManager(),
                heap,
                loader,
                counters);
        store.check();
        field.set(store);
        memory.setMemoryStore(store);
    }

    /** Stores, reads and removes a partition that no RDD has. */
    private void check() throws ReflectiveOperationException {
        BlockId block = new RDDBlockId(Integer.MAX_VALUE, 0);
        List<Object> sample = List.of("Heapspan", 1L, List.of(2.0, 'c'));
        ClassTag<Object> any = scala.reflect.ClassTag$.MODULE$.Object();
        try {
            putIteratorAsValues(block, CollectionConverters.asScala(sample.iterator()), MemoryMode.ON_HEAP, any);
            if (find(block) == null) {
                throw new IllegalAccessException("a sample could not be stored: " + counters.lastDecline());
            }
            List<Object> copy = new ArrayList<>();
            CollectionConverters.asJava(getValues(block).get()).forEachRemaining(copy::add);
            if (!copy.equals(sample)) {
                throw new IllegalAccessException("a sample came back as " + copy + ", expected " + sample);
            }
        } finally {
            remove(block);
        }
        counters.startOver();
    }
}
