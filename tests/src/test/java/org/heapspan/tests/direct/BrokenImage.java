package org.heapspan.tests.direct;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;

/**
 * Shows that HotSpot's verification of the heap finds what a wrong image does to it: reads an image without checksum one of whose
 * references leads into an object and not to its beginning. Must not survive the collection.
 */
public final class BrokenImage {
    // docs/formats/image.md
    private static final int FRAME_TYPES_BYTES = 12;
    private static final int BODY = 20;
    private static final int ALIGNMENT_IN_LAYOUT = 12;
    private static final int LAYOUT_BYTES = 32;
    private static final int UNIT_COUNT_IN_CHUNK = 4;
    private static final int CLASS_BYTES_IN_CHUNK = 12;
    private static final int CHUNK_HEADER_BYTES = 40;
    private static final int UNIT_BYTES = 8;
    private static final int SLOT_BYTES = 4;

    private BrokenImage() {}

    /**
     * Reads the image and collects.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        byte[] bytes = heapspan.encode(StressGraph.make(1, 30, false), Encoding.RAW);
        displaceFirstReference(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            kept.add(heapspan.decodeTrusted(bytes, Object.class));
        }
        System.gc();
        System.out.println("survived=" + kept.size());
    }

    private static void displaceFirstReference(ByteBuffer image) {
        int layout = BODY + image.getInt(FRAME_TYPES_BYTES);
        int chunk = layout + LAYOUT_BYTES;
        int objects = chunk + CHUNK_HEADER_BYTES + image.getInt(chunk + CLASS_BYTES_IN_CHUNK);
        int bitmap = objects + image.getInt(chunk + UNIT_COUNT_IN_CHUNK) * UNIT_BYTES;
        int alignmentUnits = image.getShort(layout + ALIGNMENT_IN_LAYOUT) / UNIT_BYTES;
        for (int slot = 0; ; slot++) {
            int place = objects + slot * SLOT_BYTES;
            if ((image.get(bitmap + slot / 8) >> slot % 8 & 1) != 0 && image.getInt(place) != 0) {
                image.putInt(place, image.getInt(place) + alignmentUnits);
                return;
            }
        }
    }
}
