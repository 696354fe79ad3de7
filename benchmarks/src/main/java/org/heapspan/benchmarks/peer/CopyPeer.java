package org.heapspan.benchmarks.peer;

import java.util.Arrays;
import org.heapspan.Encoding;

/**
 * No serializer but the limit of raw images: their bytes copied into a buffer that is there, and into fresh memory. Brings no records back.
 */
final class CopyPeer implements Peer {
    private static final byte[] NOTHING = {};

    private final String name;
    private final HeapspanPeer raw;
    private Object imageOf = NOTHING;
    private byte[] image = NOTHING;
    private byte[] copy = NOTHING;

    CopyPeer(String name) {
        this.name = name;
        raw = HeapspanPeer.of(name, Encoding.RAW, false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int encodeChunk(Object[] records) {
        if (imageOf != records) {
            raw.encodeChunk(records);
            take(records);
        }
        return copied();
    }

    @Override
    public int encodeOne(Object record) {
        if (imageOf != record) {
            raw.encodeOne(record);
            take(record);
        }
        return copied();
    }

    private void take(Object encoded) {
        image = raw.encoded();
        copy = new byte[image.length];
        imageOf = encoded;
    }

    private int copied() {
        System.arraycopy(image, 0, copy, 0, image.length);
        return image.length;
    }

    @Override
    public Object[] decodeChunk(byte[] encoded) {
        return new Object[] {decodeOne(encoded)};
    }

    @Override
    public Object decodeOne(byte[] encoded) {
        return Arrays.copyOf(encoded, encoded.length);
    }

    @Override
    public byte[] encoded() {
        return image.clone();
    }
}
