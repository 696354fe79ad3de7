package org.heapspan.image.graph;

import org.heapspan.image.format.FrameChecksum;
import org.jspecify.annotations.Nullable;

/**
 * The types of a frame, in the form that the frame has. They are kept, because most frames of a writer have the same types as the frame
 * before. They are numbers and bytes, and do not prevent the unloading of classes. Not thread-safe.
 */
final class FrameTypes {
    private static final int KEPT_BYTES = 1 << 16;

    /** Writes types as numbers; null to describe them. */
    private final RegisteredTypes.@Nullable Output registered;

    // Stamps of the types' codecs.
    private long[] stamps = new long[16];
    private int count;
    private int generation;

    private byte[] bytes = new byte[0];
    private int sizeBytes;
    private boolean summed;
    private int checksum;

    FrameTypes(@Nullable RegisteredTypes registeredTypes) {
        registered = registeredTypes == null ? null : new RegisteredTypes.Output(registeredTypes);
    }

    boolean registered() {
        return registered != null;
    }

    /** Whether types have the first numbers of the registry, in their order; numbers change when loaders are given names. */
    boolean areFirst(Codec[] types, int typeCount) {
        return registered != null && registered.areFirst(types, typeCount);
    }

    /** Called when an image begins: types that had no number in the image before may have one now. */
    void begin() {
        if (registered != null && registered.isProvisional()) {
            count = -1;
        }
    }

    /** Makes these the types of a frame. */
    void set(Codec[] types, int first, int end) {
        if (!holds(types, first, end)) {
            replace(types, first, end);
        }
    }

    private boolean holds(Codec[] types, int first, int end) {
        if (end - first != count || registered != null && registered.generation() != generation) {
            return false;
        }
        for (int index = 0; index < count; index++) {
            if (types[first + index].stamp != stamps[index]) {
                return false;
            }
        }
        return true;
    }

    private void replace(Codec[] types, int first, int end) {
        count = -1; // stays so if the types cannot be described
        int size = end - first;
        if (stamps.length < size) {
            stamps = new long[Math.max(size, stamps.length * 2)];
        }
        for (int index = 0; index < size; index++) {
            stamps[index] = types[first + index].stamp;
        }
        summed = false;
        if (registered != null) {
            generation = registered.generation();
            sizeBytes = size == 0 ? 0 : registered.put(types, first, end);
            bytes = registered.bytes();
        } else {
            describe(types, first, end);
        }
        count = size;
    }

    private void describe(Codec[] types, int first, int end) {
        int total = 0;
        for (int index = first; index < end; index++) {
            total = Math.addExact(total, types[index].descriptionBytes().length);
        }
        if (bytes.length < total) {
            bytes = new byte[total];
        }
        int p = 0;
        for (int index = first; index < end; index++) {
            byte[] described = types[index].descriptionBytes();
            System.arraycopy(described, 0, bytes, p, described.length);
            p += described.length;
        }
        sizeBytes = total;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    void copyTo(byte[] target, int offset, int length) {
        System.arraycopy(bytes, 0, target, offset, length);
    }

    /** Checksum of the types and the body that lies at an offset. */
    int checksum(FrameChecksum crc, byte[] body, int offset, int bodyBytes) {
        if (!summed) {
            checksum = crc.of(bytes, 0, sizeBytes);
            summed = true;
        }
        return crc.continued(checksum, body, offset, bodyBytes);
    }

    /** Lets go of what is too large to keep. */
    void release() {
        if (bytes.length > KEPT_BYTES && registered == null) {
            bytes = new byte[0];
            sizeBytes = 0;
            count = 0;
            summed = false;
        }
    }
}
