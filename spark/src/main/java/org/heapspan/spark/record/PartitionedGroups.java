package org.heapspan.spark.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.spark.heapspan.PartitionedRecords;
import org.heapspan.Encoding;
import org.heapspan.spark.statistics.EncodeMeter;
import org.heapspan.spark.statistics.SerializationCounters;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * A group for each reducer that has records, open until it has reached its size; then its bytes are kept and the next one begins. Nothing is
 * taken for a reducer without records. As long as a reducer gets pairs of plain values of the same kinds, its groups are {@link PlainPairs}, but for keys that may have numbers.
 *
 * <p>An open group takes some thousands of bytes, however few its records are. Once {@link #shrink} was needed, reducers with few records take turns
 * with one group: it is {@linkplain ParkedGroups parked} for one when the next one needs it.
 *
 * <p>Not thread-safe.
 */
public final class PartitionedGroups implements PartitionedRecords {
    private static final int GROUP_BYTES = 160; // of the objects around the array of a finished group
    private static final int PLAIN_GROUP_BYTES = 64; // the same, of a group of plain pairs
    private static final int PARTITION_BYTES = 80;

    /** A reducer with so much parked gets a group for itself. That takes about twice as much. */
    private static final int FEW_BYTES = 4 << 10;

    private final RecordEngine engine;
    private final int groupBytes;

    /** Whether all groups need a checksum, because nothing else tells of damage. */
    private final boolean checked;

    /** Whether so many bytes may be kept. */
    private final LongPredicate memory;

    private final EncodeMeter meter = new EncodeMeter(SerializationCounters.ofCurrentTask());
    private final @Nullable Partition[] partitions;
    private long memoryBytes;

    /** The latest record was long, so that the next one is not tried in a group first. */
    private boolean expectsLongRecord;

    /** Whether memory is short, so that reducers with few records have no group for themselves. */
    private boolean shares;

    /** The reducer that has the shared group at the moment. */
    private @Nullable Partition sharer;

    /**
     * Takes records.
     *
     * @param partitions how many reducers there are
     * @param checked whether all groups need a checksum, because nothing else tells of damage
     * @param memory is asked before a long record makes {@link #memoryBytes} so large
     */
    public PartitionedGroups(RecordEngine engine, int partitions, boolean checked, LongPredicate memory) {
        this.engine = engine;
        this.memory = memory;
        this.checked = checked;
        groupBytes = engine.options.groupBytes();
        this.partitions = new Partition[partitions];
    }

    /** Records that are complete. */
    interface Stored {
        void writeTo(OutputStream target) throws IOException;
    }

    /** The records of one reducer. */
    private static final class Partition {
        /** Takes all records until one does not fit; null from then on. */
        @Nullable
        OpenPairs pairs;

        /** Takes them from then on; null until then. */
        @Nullable
        OpenGroup open;

        /** The size of what is open at which there is something to do. */
        long limitBytes;

        final List<Stored> finished = new ArrayList<>();

        boolean hasOpenRecords() {
            return pairs != null && !pairs.isEmpty() || open != null && !open.isEmpty();
        }

        /** What is parked behind all else that is finished; null if that is nothing. */
        @Nullable
        ParkedGroups parked() {
            return !finished.isEmpty() && finished.get(finished.size() - 1) instanceof ParkedGroups last ? last : null;
        }
    }

    @Override
    public boolean write(int number, Object record) {
        Partition partition = partitions[number];
        if (partition == null) {
            partition = new Partition();
            partitions[number] = partition;
            memoryBytes += PARTITION_BYTES;
            if (engine.options.encoding() == Encoding.COMPACT) {
                beginPairs(partition, record);
            }
        }
        OpenPairs pairs = partition.pairs;
        if (pairs == null) {
            return writeToGroup(partition, record);
        }
        if (!pairs.write(record, meter)) {
            endPairs(partition, pairs);
            return writeToGroup(partition, record);
        }
        if (pairs.sizeBytes() >= partition.limitBytes) {
            pairsLimitReached(partition, pairs);
        }
        return true;
    }

    private void beginPairs(Partition partition, Object record) {
        if (engine.numbersKeys() && record instanceof Tuple2<?, ?> pair && pair._1() instanceof String) {
            // Plain pairs have the strings themselves.
            return;
        }
        OpenPairs pairs = OpenPairs.fitting(record);
        if (pairs != null) {
            partition.pairs = pairs;
            memoryBytes += pairs.memoryBytes();
            partition.limitBytes = Math.min(groupBytes, pairs.bufferBytes());
        }
    }

    private void pairsLimitReached(Partition partition, OpenPairs pairs) {
        memoryBytes -= pairs.memoryBytes();
        pairs.noteSize();
        memoryBytes += pairs.memoryBytes();
        if (pairs.sizeBytes() >= groupBytes) {
            finishPairs(partition, pairs);
        }
        partition.limitBytes = Math.min(groupBytes, pairs.bufferBytes());
    }

    private void finishPairs(Partition partition, OpenPairs pairs) {
        byte[] group = pairs.finish(false, checked, meter);
        partition.finished.add(target -> target.write(group, 0, group.length));
        memoryBytes += PLAIN_GROUP_BYTES + group.length;
    }

    private void endPairs(Partition partition, OpenPairs pairs) {
        if (!pairs.isEmpty()) {
            finishPairs(partition, pairs);
        }
        memoryBytes -= pairs.memoryBytes();
        partition.pairs = null;
    }

    private boolean writeToGroup(Partition partition, Object record) {
        OpenGroup open = partition.open;
        if (expectsLongRecord) {
            if (open != null && !open.isEmpty()) {
                finish(partition, open);
            }
            return keepLong(partition, record);
        }
        if (open == null) {
            open = groupFor(partition);
            begin(partition, open);
        }
        if (!open.write(record, meter)) {
            if (!open.isEmpty()) {
                finish(partition, open);
            }
            drop(partition, open);
            return keepLong(partition, record);
        }
        if (open.sizeBytes() >= partition.limitBytes) {
            limitReached(partition, open);
        }
        return true;
    }

    private boolean keepLong(Partition partition, Object record) {
        long others = memoryBytes;
        LongRecord written = LongRecord.of(record, engine, bytes -> memory.test(others + bytes));
        if (written == null) {
            return false;
        }
        expectsLongRecord = engine.isLong(written.sizeBytes());
        partition.finished.add(written::writeTo);
        memoryBytes += written.memoryBytes();
        return true;
    }

    @Override
    public void writeLong(Object record, OutputStream target) throws IOException {
        expectsLongRecord = engine.isLong(LongRecord.write(record, engine, target));
        GroupFraming.writeEnd(target);
    }

    private OpenGroup groupFor(Partition partition) {
        if (!shares) {
            return engine.takeGroup();
        }
        ParkedGroups parked = partition.parked();
        if (parked != null && parked.sizeBytes() >= FEW_BYTES) {
            return engine.takeGroup();
        }
        Partition before = sharer;
        OpenGroup shared = before == null ? null : before.open;
        if (before != null && shared != null) {
            park(before, shared);
        }
        sharer = partition;
        return shared == null ? engine.takeGroup() : shared;
    }

    /** Takes its group from a reducer. The records of the group stay. */
    private void park(Partition partition, OpenGroup open) {
        if (!open.isEmpty()) {
            noteSize(open);
            ParkedGroups parked = partition.parked();
            if (parked == null) {
                parked = new ParkedGroups();
                partition.finished.add(parked);
            } else {
                memoryBytes -= parked.memoryBytes();
            }
            parked.add(open.finishInPlace(checked, meter));
            memoryBytes += parked.memoryBytes();
        }
        drop(partition, open);
    }

    @Override
    public boolean shrink() {
        long gainBytes = 0;
        for (Partition partition : partitions) {
            if (partition != null && partition.open != null) {
                gainBytes += gainBytes(partition.open);
            }
        }
        if (2 * gainBytes <= memoryBytes) {
            return false;
        }
        shares = true;
        sharer = null;
        for (Partition partition : partitions) {
            OpenGroup open = partition == null ? null : partition.open;
            if (partition != null && open != null && gainBytes(open) > 0) {
                park(partition, open);
                engine.giveBack(open);
            }
        }
        return true;
    }

    /** How much less memory a group takes once it is parked; 0 if it is so little that a group that stays open is better. */
    private static long gainBytes(OpenGroup open) {
        long gain = open.memoryBytes() - open.sizeBytes() - ParkedGroups.OBJECT_BYTES;
        return gain < open.memoryBytes() / 2 ? 0 : gain;
    }

    private void begin(Partition partition, OpenGroup open) {
        partition.open = open;
        memoryBytes += open.memoryBytes();
        setLimit(partition, open);
    }

    private void setLimit(Partition partition, OpenGroup open) {
        partition.limitBytes = Math.min(groupBytes, open.bufferBytes());
    }

    private void limitReached(Partition partition, OpenGroup open) {
        if (open.sizeBytes() < groupBytes) {
            noteSize(open);
            setLimit(partition, open);
        } else {
            finish(partition, open);
        }
    }

    private void noteSize(OpenGroup open) {
        memoryBytes -= open.memoryBytes();
        open.noteSize();
        memoryBytes += open.memoryBytes();
    }

    private void finish(Partition partition, OpenGroup open) {
        noteSize(open);
        FramedGroup group = open.finish(meter);
        partition.finished.add(group::writeTo);
        memoryBytes += GROUP_BYTES + group.content().array().length;
        if (!engine.isOfOrdinarySize(open.bufferBytes())) {
            drop(partition, open);
        }
    }

    /** Drops a group that would keep the memory of a record that was large, if it is still there. */
    private void drop(Partition partition, OpenGroup open) {
        if (partition.open == open) {
            memoryBytes -= open.memoryBytes();
            partition.open = null;
        }
    }

    @Override
    public long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public boolean isEmpty(int number) {
        Partition partition = partitions[number];
        return partition == null || partition.finished.isEmpty() && !partition.hasOpenRecords();
    }

    @Override
    public void writeTo(int number, OutputStream target) throws IOException {
        Partition partition = partitions[number];
        if (partition == null || isEmpty(number)) {
            return;
        }
        for (Stored stored : partition.finished) {
            stored.writeTo(target);
        }
        OpenPairs pairs = partition.pairs;
        OpenGroup open = partition.open;
        if (pairs != null && !pairs.isEmpty()) {
            byte[] last = pairs.finish(true, checked, meter);
            target.write(last, 0, last.length);
        } else if (open != null && !open.isEmpty()) {
            open.finishInPlace(checked, meter).writeLastTo(target);
        } else {
            GroupFraming.writeEnd(target);
        }
    }

    @Override
    public void clear() {
        for (int number = 0; number < partitions.length; number++) {
            Partition partition = partitions[number];
            if (partition != null) {
                if (partition.open != null) {
                    engine.giveBack(partition.open);
                }
                partitions[number] = null;
            }
        }
        sharer = null;
        memoryBytes = 0;
    }
}
