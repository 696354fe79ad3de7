package org.apache.spark.heapspan;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfo;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.memory.BlockEvictionHandler;
import org.apache.spark.storage.memory.MemoryStore;
import org.apache.spark.storage.memory.PartiallyUnrolledIterator;
import org.apache.spark.util.io.ChunkedByteBuffer;
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
    private final BlockInfoManager blocks;
    private final BlockEvictionHandler evictions;
    private final Function<@Nullable ClassLoader, CacheCodec> codecs;
    private final SecondHeapCounters counters;

    /** The partitions in the second heap, the one that was used last at the end. Guarded by itself. */
    private final Map<BlockId, Partition> partitions = new LinkedHashMap<>(32, 0.75f, true);

    /** The RDD of which a thread writes a partition: others make room for it, not its own. */
    private final ThreadLocal<@Nullable Integer> writing = new ThreadLocal<>();

    /**
     * A partition.
     *
     * @param elements its records
     * @param tag of their class, which Spark wants back
     * @param codec held so that the partitions of a session share one
     */
    private record Partition(H2Sequence<?> elements, ClassTag<?> tag, CacheCodec codec) {}

    /**
     * Creates a store.
     *
     * @param heap where partitions go; the caller closes it
     * @param codecs encode and decode classes that a loader finds
     * @param counters are told what happens
     */
    SecondHeapStore(
            SparkConf conf,
            BlockInfoManager blocks,
            SerializerManager serializers,
            MemoryManager memory,
            BlockEvictionHandler evictions,
            SecondHeap heap,
            Function<@Nullable ClassLoader, CacheCodec> codecs,
            SecondHeapCounters counters) {
        super(conf, blocks, serializers, memory, evictions);
        this.blocks = blocks;
        this.evictions = evictions;
        this.heap = heap;
        this.codecs = codecs;
        this.counters = counters;
    }

    @Override
    public <T> Either<PartiallyUnrolledIterator<T>, Object> putIteratorAsValues(
            BlockId block, scala.collection.Iterator<T> values, MemoryMode mode, ClassTag<T> tag) {
        if (!(block instanceof RDDBlockId partition)) {
            return super.putIteratorAsValues(block, values, mode, tag);
        }
        CacheCodec codec = codec();
        Source<T> source = new Source<>(values, codec);
        // The one that asks for this one, if both are cached.
        Integer outer = writing.get();
        writing.set(partition.rddId());
        try (H2Appender<T> appender = heap.appender(Label.of(partition.rddId()), codec.heapspan())) {
            try {
                appender.addAll(source);
                H2Sequence<T> sequence = appender.finish();
                synchronized (partitions) {
                    partitions.put(block, new Partition(sequence, tag, codec));
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
                return super.putIteratorAsValues(block, taken.concat(source::rest), mode, tag);
            }
        } finally {
            writing.set(outer);
        }
    }

    /** Tasks of a session of its own (Spark Connect, artifacts) find their classes there; others, such as copies from other hosts, where this JVM does. */
    private CacheCodec codec() {
        return codecs.apply(
                TaskContext.get() == null ? null : Thread.currentThread().getContextClassLoader());
    }

    /**
     * Drops the partition that was used the longest ago, as Spark does when memory is used up: none of the RDD that needs the room, none that
     * is being read, and none that Spark would write to its disk, where the new one can go as well.
     *
     * @return whether one was dropped
     */
    public boolean dropOne() {
        Integer rdd = writing.get();
        List<Map.Entry<BlockId, Partition>> oldestFirst;
        synchronized (partitions) {
            oldestFirst = List.copyOf(partitions.entrySet());
        }
        for (Map.Entry<BlockId, Partition> each : oldestFirst) {
            boolean isOfAnother = rdd != null && ((RDDBlockId) each.getKey()).rddId() != rdd;
            if (isOfAnother && drop(each.getKey(), each.getValue())) {
                return true;
            }
        }
        return false;
    }

    private boolean drop(BlockId block, Partition partition) {
        Option<BlockInfo> locked = blocks.lockForWriting(block, false);
        if (locked.isEmpty()) {
            return false;
        }
        if (locked.get().level().useDisk()) {
            blocks.unlock(block, Option.empty());
            return false;
        }
        boolean done = false;
        try {
            StorageLevel left = evictions.dropFromMemory(block, SecondHeapStore::toDisk, partition.tag());
            if (left.isValid()) {
                blocks.unlock(block, Option.empty());
            } else {
                blocks.removeBlock(block);
            }
            done = true;
        } finally {
            // Telling the driver may fail, and whoever waits for the block must not wait forever.
            if (!done) {
                blocks.unlock(block, Option.empty());
            }
        }
        return true;
    }

    private static Either<Object, ChunkedByteBuffer> toDisk() {
        throw new IllegalStateException("Spark asks for a partition to write to disk whose storage level has no disk");
    }

    /**
     * The records of a partition. Tells failures of what delivers them from others, and those that could be written and not be read again: of a
     * class that the codec's loader would not find, such as one that a program has compiled for itself.
     */
    private static final class Source<T> implements Iterator<T> {
        private final scala.collection.Iterator<T> values;
        private final CacheCodec codec;
        private @Nullable Throwable failure;

        /** A record that was drawn and not delivered. */
        private @Nullable T kept;

        private @Nullable Class<?> latest;

        Source(scala.collection.Iterator<T> values, CacheCodec codec) {
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
        scala.collection.Iterator<T> rest() {
            T first = kept;
            return first == null
                    ? values
                    : CollectionConverters.asScala(List.of(first).iterator()).concat(() -> values);
        }
    }

    @Override
    public Option<scala.collection.Iterator<Object>> getValues(BlockId block) {
        Partition partition = find(block);
        if (partition == null) {
            return super.getValues(block);
        }
        H2Sequence<?> sequence = partition.elements();
        counters.read(sequence.elementCount(), sequence.imageBytes());
        @SuppressWarnings("unchecked") // Spark's values are objects.
        Iterator<Object> values = (Iterator<Object>) sequence.elements().iterator();
        return new Some<>(CollectionConverters.asScala(values));
    }

    private @Nullable Partition find(BlockId block) {
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
        Partition partition = find(block);
        return partition == null ? super.getSize(block) : partition.elements().imageBytes();
    }

    @Override
    public boolean remove(BlockId block) {
        Partition partition;
        synchronized (partitions) {
            partition = partitions.remove(block);
        }
        if (partition == null) {
            return super.remove(block);
        }
        H2Sequence<?> sequence = partition.elements();
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
     * @param codecs encode and decode classes that a loader finds; of null those that this JVM finds
     * @param counters are told what happens
     * @return the store
     * @throws ReflectiveOperationException if this version of Spark keeps its store elsewhere, or the store does not work here; then nothing has
     *     changed
     */
    public static SecondHeapStore install(
            SparkEnv environment,
            SecondHeap heap,
            Function<@Nullable ClassLoader, CacheCodec> codecs,
            SecondHeapCounters counters)
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
                codecs,
                counters);
        store.check();
        field.set(store);
        memory.setMemoryStore(store);
        return store;
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
