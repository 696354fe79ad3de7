package org.heapspan.h2;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.heapspan.GroupWriter;
import org.jspecify.annotations.Nullable;

/** Writes elements as groups of ordinary length to a {@link RegionWriter}. For one thread. */
final class GroupSink {
    private final ElementCodec codec;
    private final RegionWriter regions;
    private final Residence target;
    private final long mostBytes;
    private GroupWriter group;
    private long largestBytes;
    private boolean broken;

    /** In the memory of {@link #group}, to which nothing is written after it. */
    private @Nullable ByteBuffer unstored;

    private int unstoredCount;
    private byte @Nullable [] open;
    private List<@Nullable Object> tooLong = List.of();
    private int lostElements;

    GroupSink(ElementCodec codec, RegionWriter regions, Residence target) {
        this(codec, regions, target, Long.MAX_VALUE);
    }

    /**
     * Begins.
     *
     * @param mostBytes elements of more bytes are {@link #tooLong}, as are those that the regions do not take
     */
    GroupSink(ElementCodec codec, RegionWriter regions, Residence target, long mostBytes) {
        this.codec = codec;
        this.regions = regions;
        this.target = target;
        this.mostBytes = Math.min(mostBytes, regions.mostPieceBytes());
        group = codec.takeWriter(this.mostBytes);
    }

    /**
     * Adds an element.
     *
     * @throws RuntimeException if it cannot be encoded; all else is as before, unless there are {@link #lostElements}
     * @throws SecondHeapException if a full group could not be stored, or the element is too long; {@link #isBroken} then, and the element is in
     *     {@link #unstored}, {@link #takeOpen} or {@link #tooLong}
     */
    void add(@Nullable Object element) {
        int before = group.recordCount();
        try {
            codec.write(group, element, target, mostBytes);
        } catch (RuntimeException | Error e) {
            if (group.recordCount() < before) {
                lostElements = before;
                refuse(element);
                throw e;
            }
            if (!(e instanceof SecondHeapException failure) || !failure.isTooLong()) {
                throw e;
            }
            if (group.recordCount() == 0) {
                refuse(element);
                throw e;
            }
            addAlone(element);
            return;
        }
        endFullGroup(element);
    }

    private void refuse(@Nullable Object element) {
        tooLong = Collections.singletonList(element);
        broken = true;
    }

    /** Adds an element for which the open group has no room. */
    private void addAlone(@Nullable Object element) {
        // Nobody has it meanwhile.
        tooLong = Collections.singletonList(element);
        endGroup();
        try {
            codec.write(group, element, target, mostBytes);
        } catch (RuntimeException | Error e) {
            if (e instanceof SecondHeapException failure && failure.isTooLong()) {
                broken = true;
            } else {
                tooLong = List.of();
            }
            throw e;
        }
        tooLong = List.of();
        endFullGroup(element);
    }

    private void endFullGroup(@Nullable Object element) {
        long sizeBytes = group.sizeBytes();
        if (sizeBytes < codec.groupBytes()) {
            return;
        }
        if (sizeBytes > regions.mostPieceBytes() && group.recordCount() == 1) {
            // Nobody could store the bytes. The caller still has the element.
            GroupWriter next = codec.takeWriter(mostBytes);
            SecondHeapException refusal = regions.tooLong(sizeBytes);
            refuse(element);
            group = next;
            throw refusal;
        }
        endGroup();
    }

    /** Whether elements that were added could not be stored, so that no others may be added. */
    boolean isBroken() {
        return broken;
    }

    /**
     * Elements whose group is gone: its writer left it to a thread with a larger stack, which waited for a lock of the thread that adds ({@code
     * LargerStack}).
     */
    int lostElements() {
        return lostElements;
    }

    /** Ends the group, if it has elements. */
    void endGroup() {
        int elements = group.recordCount();
        if (elements == 0) {
            return;
        }
        broken = true;
        target.endPiece();
        ByteBuffer image = group.finishInPlace();
        largestBytes = Math.max(largestBytes, image.remaining());
        int position = image.position();
        unstored = image;
        unstoredCount = elements;
        try {
            regions.add(image, elements, target);
            unstored = null;
            unstoredCount = 0;
            broken = false;
        } finally {
            image.position(position);
        }
    }

    /** Elements that are in no group yet. */
    int openElements() {
        return group.recordCount() + unstoredCount + tooLong.size();
    }

    /** A group that the regions did not take, or null. */
    @Nullable
    ByteBuffer unstored() {
        return unstored;
    }

    /** The group that is open, or null; ends it. */
    byte @Nullable [] takeOpen() {
        if (open == null && group.recordCount() > 0) {
            open = group.finish();
        }
        return open;
    }

    /** An element that is longer than anything that can be stored, or nothing; the very object that was added. */
    List<@Nullable Object> tooLong() {
        return tooLong;
    }

    /** Gives the writer back; nothing may be added any more. */
    void close() {
        if (!broken) {
            codec.giveBack(group, largestBytes);
        }
    }
}
