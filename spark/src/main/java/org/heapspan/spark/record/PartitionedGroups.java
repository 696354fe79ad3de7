package org.heapspan.spark.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.heapspan.PartitionedRecords;
import org.heapspan.spark.statistics.EncodeMeter;
import org.heapspan.spark.statistics.SerializationCounters;
import org.jspecify.annotations.Nullable;

/**
 * A group for each reducer that has records, open until it has reached its size; then its bytes are kept and the next one begins. Nothing is
 * taken for a reducer without records. Not thread-safe.
 */
public final class PartitionedGroups implements PartitionedRecords {
    private static final int GROUP_BYTES = 160; // of the objects around the array of a finished group
    private static final int PARTITION_BYTES = 80;

    private final RecordEngine engine;
    private final int groupBytes;
    private final EncodeMeter meter = new EncodeMeter(SerializationCounters.ofCurrentTask());
    private final @Nullable Partition[] partitions;
    private long memoryBytes;

    public PartitionedGroups(RecordEngine engine, int partitions) {
        this.engine = engine;
        groupBytes = engine.options.groupBytes();
        this.partitions = new Partition[partitions];
    }

    /** Records that are complete. */
    private interface Stored {
        void writeTo(OutputStream target) throws IOException;
    }

    /** The records of one reducer. */
    private static final class Partition {
        OpenGroup open;

        /** The size of the open group at which there is something to do. */
        long limitBytes;

        final List<Stored> finished = new ArrayList<>();

        Partition(OpenGroup open) {
            this.open = open;
        }
    }

    @Override
    public void write(int number, Object record) {
        Partition partition = partitions[number];
        if (partition == null) {
            partition = new Partition(engine.takeGroup());
            partitions[number] = partition;
            memoryBytes += PARTITION_BYTES;
            begin(partition);
        }
        if (!partition.open.write(record, meter)) {
            if (!partition.open.isEmpty()) {
                finishOpen(partition);
            }
            if (!partition.open.write(record, meter)) {
                LongRecord written = LongRecord.of(record, engine);
                partition.finished.add(written::writeTo);
                memoryBytes += written.memoryBytes();
                return;
            }
        }
        if (partition.open.sizeBytes() >= partition.limitBytes) {
            limitReached(partition);
        }
    }

    private void begin(Partition partition) {
        memoryBytes += partition.open.memoryBytes();
        setLimit(partition);
    }

    private void setLimit(Partition partition) {
        partition.limitBytes = Math.min(groupBytes, partition.open.bufferBytes());
    }

    private void limitReached(Partition partition) {
        OpenGroup open = partition.open;
        memoryBytes -= open.memoryBytes();
        open.noteSize();
        memoryBytes += open.memoryBytes();
        if (open.sizeBytes() < groupBytes) {
            setLimit(partition);
            return;
        }
        finish(partition);
    }

    /** Ends the open group before it is full. */
    private void finishOpen(Partition partition) {
        memoryBytes -= partition.open.memoryBytes();
        partition.open.noteSize();
        memoryBytes += partition.open.memoryBytes();
        finish(partition);
    }

    private void finish(Partition partition) {
        OpenGroup open = partition.open;
        FramedGroup group = open.finish(meter);
        partition.finished.add(group::writeTo);
        memoryBytes += GROUP_BYTES + group.content().array().length;
        if (!engine.isOfOrdinarySize(open.bufferBytes())) {
            // It would keep the memory of a record that was large.
            memoryBytes -= open.memoryBytes();
            partition.open = engine.takeGroup();
            begin(partition);
        }
    }

    @Override
    public long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public boolean isEmpty(int number) {
        Partition partition = partitions[number];
        return partition == null || partition.finished.isEmpty() && partition.open.isEmpty();
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
        if (partition.open.isEmpty()) {
            GroupFraming.writeEnd(target);
        } else {
            partition.open.finishInPlace(meter).writeLastTo(target);
        }
    }

    @Override
    public void clear() {
        for (int number = 0; number < partitions.length; number++) {
            Partition partition = partitions[number];
            if (partition != null) {
                engine.giveBack(partition.open);
                partitions[number] = null;
            }
        }
        memoryBytes = 0;
    }
}
