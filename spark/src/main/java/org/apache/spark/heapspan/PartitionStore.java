package org.apache.spark.heapspan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfo;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.memory.MemoryStore;
import org.apache.spark.storage.memory.PartiallyUnrolledIterator;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Some;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.util.Either;
import scala.util.Right;

/**
 * Spark's store of blocks in memory, in which cached partitions of objects lie elsewhere, in a {@link PartitionStorage}: they take no storage memory.
 * Everything else is Spark's: serialized levels, broadcasts, and partitions that the storage cannot take.
 *
 * <p>A partition is written while it is computed, so that nothing has to be unrolled in memory; and read the same way.
 *
 * <p>Thread-safe as Spark's: {@link BlockInfoManager} lets one thread write a block, and nobody remove one that is being read.
 *
 * <p>Relies on {@code core/.../storage/memory/MemoryStore.scala} and on how {@code core/.../storage/BlockManager.scala} uses it, of Spark 4.3.
 */
public final class PartitionStore extends MemoryStore {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionStore.class);

    private final BlockInfoManager blocks;
    private final BlockManager manager;
    private final PartitionStorage storage;

    /** The partitions in the storage, the one that was used last at the end. Guarded by itself. */
    private final Map<BlockId, Partition> partitions = new LinkedHashMap<>(32, 0.75f, true);

    private final TaskReadings readings = new TaskReadings();

    /** The RDD of which a thread writes a partition: others make room for it, not its own. */
    private final ThreadLocal<@Nullable Integer> writing = new ThreadLocal<>();

    /**
     * A partition.
     *
     * @param kept its records
     * @param tag of their class, which Spark wants back
     */
    private record Partition(PartitionStorage.Kept kept, ClassTag<?> tag) {}

    private PartitionStore(
            SparkConf conf,
            BlockInfoManager blocks,
            SerializerManager serializers,
            MemoryManager memory,
            BlockManager manager,
            PartitionStorage storage) {
        super(conf, blocks, serializers, memory, manager);
        this.blocks = blocks;
        this.manager = manager;
        this.storage = storage;
    }

    @Override
    public <T> Either<PartiallyUnrolledIterator<T>, Object> putIteratorAsValues(
            BlockId block, scala.collection.Iterator<T> values, MemoryMode mode, ClassTag<T> tag) {
        if (!(block instanceof RDDBlockId partition) || !storage.takes(partition, tag.runtimeClass())) {
            return super.putIteratorAsValues(block, values, mode, tag);
        }
        // The one that asks for this one, if both are cached.
        Integer outer = writing.get();
        writing.set(partition.rddId());
        PartitionStorage.Outcome<T> outcome;
        try {
            outcome = storage.keep(partition, CollectionConverters.asJava(untilKilled(values)), isReplicated(block));
        } finally {
            writing.set(outer);
        }
        PartitionStorage.Kept kept = outcome.kept();
        if (kept == null) {
            return super.putIteratorAsValues(block, CollectionConverters.asScala(outcome.values()), mode, tag);
        }
        synchronized (partitions) {
            partitions.put(block, new Partition(kept, tag));
        }
        return new Right<>(kept.bytes());
    }

    private boolean isReplicated(BlockId block) {
        Option<BlockInfo> info = blocks.get(block);
        return info.isDefined() && info.get().level().replication() > 1;
    }

    /** Values up to the end of the task, if it is killed. Spark's own store looks for that too, because what computes the values may not. */
    private static <T> scala.collection.Iterator<T> untilKilled(scala.collection.Iterator<T> values) {
        TaskContext task = TaskContext.get();
        return task == null ? values : new InterruptibleIterator<>(task, values);
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
            StorageLevel left = manager.dropFromMemory(block, PartitionStore::toDisk, partition.tag());
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

    @Override
    public Option<scala.collection.Iterator<Object>> getValues(BlockId block) {
        Partition partition = find(block);
        if (partition == null) {
            return super.getValues(block);
        }
        TaskContext task = TaskContext.get();
        CheckedValues values =
                new CheckedValues(partition.kept().values(), failure -> lost(block, partition, task, failure));
        return new Some<>(CollectionConverters.asScala(readings.begin(task, values)));
    }

    /**
     * A partition cannot be read any more, as when its device is broken: nobody finds it from now on, so that Spark computes it again. Whoever
     * reads it now comes to the end or fails, too. The other partitions of its RDD go as well, except those that are being read: they are
     * probably lost too, and each would fail one more attempt of a task that reads them all. Called by a reader, who does not read on.
     *
     * @param task on whose behalf it was read, or null
     */
    private void lost(BlockId block, Partition partition, @Nullable TaskContext task, Throwable failure) {
        List<Map.Entry<BlockId, Partition>> others;
        synchronized (partitions) {
            if (!partitions.remove(block, partition)) {
                return;
            }
            others = List.copyOf(partitions.entrySet());
        }
        partition.kept().close();
        String why = failure instanceof Error ? failure.toString() : String.valueOf(failure.getMessage());
        LOG.warn("Heapspan: {} is lost and will be computed again: {}", block, why);
        if (blocks.get(block).isEmpty()) {
            // A sample of our own, of which Spark does not know.
            return;
        }
        // The reader's own, without which nobody can remove the block.
        manager.releaseLock(block, Option.apply(task));
        removeUnread(block);
        if (!storage.losesOthers(failure)) {
            return;
        }
        for (Map.Entry<BlockId, Partition> each : others) {
            BlockId other = each.getKey();
            boolean isOfTheRdd = ((RDDBlockId) other).rddId() == ((RDDBlockId) block).rddId();
            if (isOfTheRdd && each.getValue().equals(find(other)) && !drop(other, each.getValue())) {
                removeUnread(other);
            }
        }
    }

    /** Removes a block, unless somebody reads it. A lost one is removed by its next reader then: Spark finds that it is not where it should be. */
    private void removeUnread(BlockId block) {
        if (blocks.lockForWriting(block, false).isDefined()) {
            blocks.unlock(block, Option.empty());
            manager.removeBlock(block, true);
        }
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
        return partition == null ? super.getSize(block) : partition.kept().bytes();
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
        // Storage memory was never taken for it, so that none is released.
        partition.kept().close();
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
     * Puts a store that uses a storage in the place of this JVM's, which must be empty.
     *
     * @param environment of this JVM
     * @param storage where cached partitions go from now on
     * @return the store
     * @throws ReflectiveOperationException if this version of Spark keeps its store elsewhere, or the store does not work here; then nothing has
     *     changed
     */
    public static PartitionStore install(SparkEnv environment, PartitionStorage storage)
            throws ReflectiveOperationException {
        MemoryStoreField field = MemoryStoreField.of(environment.blockManager());
        MemoryManager memory = environment.memoryManager();
        if (memory.storageMemoryUsed() != 0) {
            throw new IllegalAccessException("blocks are in memory already");
        }
        PartitionStore store = new PartitionStore(
                environment.conf(),
                environment.blockManager().blockInfoManager(),
                environment.blockManager().serializerManager(),
                memory,
                environment.blockManager(),
                storage);
        store.check();
        field.set(store);
        memory.setMemoryStore(store);
        return store;
    }

    /** Stores, reads and removes a partition that no RDD has. */
    private void check() throws ReflectiveOperationException {
        RDDBlockId block = new RDDBlockId(Integer.MAX_VALUE, 0);
        List<Object> sample = List.of("Heapspan", 1L, List.of(2.0, 'c'));
        PartitionStorage.Outcome<Object> outcome = storage.keep(block, sample.iterator(), false);
        PartitionStorage.Kept kept = outcome.kept();
        if (kept == null) {
            throw new IllegalAccessException("a sample could not be stored: " + outcome.why());
        }
        try {
            synchronized (partitions) {
                partitions.put(block, new Partition(kept, ClassTag$.MODULE$.Object()));
            }
            List<Object> copy = new ArrayList<>();
            CollectionConverters.asJava(getValues(block).get()).forEachRemaining(copy::add);
            if (!copy.equals(sample)) {
                throw new IllegalAccessException("a sample came back as " + copy + ", expected " + sample);
            }
        } finally {
            remove(block);
        }
    }
}
