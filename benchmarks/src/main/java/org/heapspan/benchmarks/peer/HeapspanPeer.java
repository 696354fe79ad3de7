package org.heapspan.benchmarks.peer;

import java.nio.ByteBuffer;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Heapspan as it is used out of the box: nothing registered, and decoding of the compact encoding always validates. The only class of
 * the benchmarks that knows Heapspan.
 *
 * <p>Identity is kept, that of value-based classes (boxes, times) excepted. Iterative, so graphs of any depth work.
 */
final class HeapspanPeer implements Peer {
    private static final int FIRST_BYTES = 1 << 16;
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    /** How far a reference can reach. */
    enum Scope {
        /** A chunk is one group of a {@link GroupWriter}: identity is kept within a record, as a shuffle needs it. */
        RECORD,
        /** A chunk is one array in one image: identity is kept across its records. */
        CHUNK
    }

    private final String name;
    private final Scope scope;
    private final Encoding encoding;
    private final Heapspan heapspan;
    private final GroupWriter writer;
    /** Takes the images of single objects. */
    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES);

    /** The latest bytes. */
    private ByteBuffer encoded = buffer;

    /** With a registry images carry numbers for classes, as those of peers with registered classes do. */
    HeapspanPeer(String name, Scope scope, @Nullable TypeRegistry registry) {
        this(
                name,
                scope,
                Encoding.COMPACT,
                registry == null
                        ? Heapspan.create()
                        : Heapspan.builder().typeRegistry(registry).build());
    }

    private HeapspanPeer(String name, Scope scope, Encoding encoding, Heapspan heapspan) {
        this.name = name;
        this.scope = scope;
        this.encoding = encoding;
        this.heapspan = heapspan;
        writer = heapspan.groupWriter(encoding);
    }

    /** One of the encodings, with a checksum over the bytes, as Heapspan writes out of the box, or without, as the peers. */
    static HeapspanPeer of(String name, Encoding encoding, boolean checksum) {
        return new HeapspanPeer(
                name,
                Scope.RECORD,
                encoding,
                Heapspan.builder().checksum(checksum).build());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int encodeChunk(Object[] records) {
        if (scope == Scope.CHUNK) {
            return encodeOne(records);
        }
        writer.writeAll(records);
        // As the other peers: the bytes stay where they were written.
        encoded = writer.finishInPlace();
        return encoded.remaining();
    }

    @Override
    public Object[] decodeChunk(byte[] chunk) {
        if (scope == Scope.CHUNK) {
            return heapspan.decode(chunk, Object[].class);
        }
        GroupReader reader =
                encoding == Encoding.RAW ? heapspan.trustedGroupReader(chunk) : heapspan.groupReader(chunk);
        return reader.readAll();
    }

    @Override
    public int encodeOne(Object record) {
        buffer.clear();
        try {
            heapspan.encodeTo(record, encoding, buffer);
        } catch (HeapspanException e) {
            if (e.category() != HeapspanException.Category.LIMIT) {
                throw e;
            }
            // As the other peers: the buffer grows with the first objects of a size, and is used again.
            // An image in a buffer can have more frames than one in an array, and so be longer.
            long sizeBytes = heapspan.encode(record, encoding).length;
            buffer = ByteBuffer.allocate((int) Math.min(MOST_BYTES, sizeBytes + sizeBytes / 4));
            heapspan.encodeTo(record, encoding, buffer);
        }
        encoded = buffer.flip();
        return encoded.remaining();
    }

    @Override
    public Object decodeOne(byte[] image) {
        return encoding == Encoding.RAW
                ? heapspan.decodeTrusted(image, Object.class)
                : heapspan.decode(image, Object.class);
    }

    @Override
    public byte[] encoded() {
        byte[] bytes = new byte[encoded.remaining()];
        encoded.duplicate().get(bytes);
        return bytes;
    }

    @Override
    public ByteBuffer encodedInPlace() {
        return encoded.duplicate();
    }
}
