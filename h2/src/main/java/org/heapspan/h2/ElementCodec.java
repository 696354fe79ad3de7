package org.heapspan.h2;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** Objects to groups and back, with writers and arrays that are used again. Thread-safe. */
final class ElementCodec {
    private static final int MOST_IDLE = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());

    private final Heapspan heapspan;
    private final int groupBytes;

    /** What elements may refer to and do not hold, or null. */
    private final @Nullable SharedObjects shared;

    private final ConcurrentLinkedDeque<GroupWriter> idleWriters = new ConcurrentLinkedDeque<>();
    private final Semaphore writerRoom = new Semaphore(MOST_IDLE);
    private final ConcurrentLinkedDeque<byte[]> idleArrays = new ConcurrentLinkedDeque<>();
    private final Semaphore arrayRoom = new Semaphore(MOST_IDLE);

    /** Copies a piece into an array. */
    interface Source {
        /** Copies it to the beginning of an array that is long enough. */
        void copyTo(byte[] target);
    }

    ElementCodec(Heapspan heapspan, int groupBytes, @Nullable SharedObjects shared) {
        this.heapspan = heapspan;
        this.groupBytes = groupBytes;
        this.shared = shared;
    }

    /** How long a group becomes before it is written. */
    int groupBytes() {
        return groupBytes;
    }

    /**
     * Adds an element to a group.
     *
     * @param residence will have the group, and depends on what the element shares
     * @param mostBytes how long the group may be, which its writer knows
     * @throws SecondHeapException of category LIMIT, too long, if the group would be longer; it is as before then
     */
    void write(GroupWriter group, @Nullable Object element, Residence residence, long mostBytes) {
        SharedObjects sharing = shared;
        try {
            if (sharing == null) {
                group.write(element);
            } else {
                sharing.encodingFor(residence, () -> group.write(element));
            }
        } catch (HeapspanException e) {
            if (e.category() != Category.LIMIT || e instanceof SecondHeapException) {
                throw e;
            }
            throw SecondHeapException.longerThan(mostBytes, e);
        }
    }

    /**
     * An empty group.
     *
     * @param mostBytes how long it may become
     */
    GroupWriter takeWriter(long mostBytes) {
        GroupWriter writer = idleWriters.pollLast();
        if (writer == null) {
            writer = heapspan.groupWriter(Encoding.RAW);
        } else {
            writerRoom.release();
        }
        writer.limitTo(mostBytes);
        return writer;
    }

    /**
     * Takes back a writer.
     *
     * @param largestBytes the largest group it has written, since it keeps the memory for that
     */
    void giveBack(GroupWriter writer, long largestBytes) {
        if (largestBytes <= 4L * groupBytes && writer.recordCount() == 0 && writerRoom.tryAcquire()) {
            idleWriters.addLast(writer);
        }
    }

    /** Decodes all records of a piece. */
    @Nullable
    Object[] decode(int length, Source source) {
        byte[] array = takeArray(length);
        @Nullable Object[] records;
        try {
            source.copyTo(array);
            records = decode(array, length);
        } catch (InternalError e) {
            // Of the copy, but later: what was decoded was not what had been written.
            throw DeviceFault.asFailure(e, length + " bytes of the second heap");
        }
        giveBack(array);
        return records;
    }

    /** Decodes all records of a group. */
    @Nullable
    Object[] decode(byte[] group, int length) {
        return decode(ByteBuffer.wrap(group, 0, length));
    }

    /** Decodes all records of a group that is all of a buffer between position and limit. */
    @Nullable
    Object[] decode(ByteBuffer group) {
        GroupReader reader = heapspan.trustedGroupReader(group.duplicate());
        return reader.readAll();
    }

    private byte[] takeArray(int length) {
        // A group ends with the record that fills it.
        int ordinaryBytes = groupBytes + groupBytes / 8;
        if (length > ordinaryBytes) {
            return new byte[length];
        }
        byte[] array = idleArrays.pollLast();
        if (array == null) {
            return new byte[ordinaryBytes];
        }
        arrayRoom.release();
        return array;
    }

    private void giveBack(byte[] array) {
        if (array.length == groupBytes + groupBytes / 8 && arrayRoom.tryAcquire()) {
            idleArrays.addLast(array);
        }
    }
}
