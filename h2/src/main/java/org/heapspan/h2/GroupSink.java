package org.heapspan.h2;

import org.heapspan.GroupWriter;
import org.jspecify.annotations.Nullable;

/** Writes elements as groups of ordinary length to a {@link RegionWriter}. For one thread. */
final class GroupSink {
    private final ElementCodec codec;
    private final RegionWriter regions;
    private final GroupWriter group;
    private final Residence target;
    private long largestBytes;
    private byte @Nullable [] unstored;
    private int unstoredCount;

    GroupSink(ElementCodec codec, RegionWriter regions, Residence target) {
        this.codec = codec;
        this.regions = regions;
        this.target = target;
        group = codec.takeWriter();
    }

    /**
     * Adds an element.
     *
     * @throws org.heapspan.HeapspanException if it cannot be encoded; all else is as before
     * @throws SecondHeapException if a full group could not be stored; see {@link #unstored}
     */
    void add(@Nullable Object element) {
        group.write(element);
        if (group.sizeBytes() >= codec.groupBytes()) {
            endGroup();
        }
    }

    /** Ends the group, if it has elements. */
    void endGroup() {
        int elements = group.recordCount();
        if (elements == 0) {
            return;
        }
        var image = group.finishInPlace();
        largestBytes = Math.max(largestBytes, image.remaining());
        int position = image.position();
        try {
            regions.add(image, elements, target);
        } catch (SecondHeapException e) {
            byte[] copy = new byte[image.limit() - position];
            image.get(position, copy);
            unstored = copy;
            unstoredCount = elements;
            throw e;
        }
    }

    /** Elements that are in no group yet. */
    int openElements() {
        return group.recordCount() + unstoredCount;
    }

    /** A group that the regions did not take, or null. */
    byte @Nullable [] unstored() {
        return unstored;
    }

    /** The group that is open, or null; ends it. */
    byte @Nullable [] takeOpen() {
        return group.recordCount() == 0 ? null : group.finish();
    }

    /** Gives the writer back; nothing may be added any more. */
    void close() {
        codec.giveBack(group, largestBytes);
    }
}
