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
    private GroupWriter group;
    private long largestBytes;
    private boolean broken;

    /** In the memory of {@link #group}, to which nothing is written after it. */
    private @Nullable ByteBuffer unstored;

    private int unstoredCount;
    private byte @Nullable [] open;
    private List<@Nullable Object> tooLong = List.of();

    GroupSink(ElementCodec codec, RegionWriter regions, Residence target) {
        this.codec = codec;
        this.regions = regions;
        this.target = target;
        group = codec.takeWriter();
    }

    /**
     * Adds an element.
     *
     * @throws RuntimeException if it cannot be encoded; all else is as before
     * @throws SecondHeapException if a full group could not be stored; {@link #isBroken} then, and the element is in {@link #unstored},
     *     {@link #takeOpen} or {@link #tooLong}
     */
    void add(@Nullable Object element) {
        codec.write(group, element, target);
        long sizeBytes = group.sizeBytes();
        if (sizeBytes < codec.groupBytes()) {
            return;
        }
        if (sizeBytes > regions.mostPieceBytes() && group.recordCount() == 1) {
            // Nobody could store the bytes, which may be more than an array holds. The caller still has the element.
            GroupWriter next = codec.takeWriter();
            SecondHeapException refusal = regions.tooLong(sizeBytes);
            tooLong = Collections.singletonList(element);
            group = next;
            broken = true;
            throw refusal;
        }
        endGroup();
    }

    /** Whether elements that were added could not be stored, so that no others may be added. */
    boolean isBroken() {
        return broken;
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

    /**
     * The group that is open, or null; ends it, unless it cannot be ended.
     *
     * @throws org.heapspan.HeapspanException of category LIMIT if it has more bytes than an array can have
     */
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
        codec.giveBack(group, largestBytes);
    }
}
