package org.heapspan.benchmarks.transfer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;

/** Makes bytes of an object and an object of bytes, at the two ends of a connection. Not thread-safe. */
interface Carrier {
    /** All carriers, in the order of the report. */
    List<String> NAMES = List.of("copy", "heapspan", "heapspan-raw", "fory-refs", "fory", "kryo-refs", "kryo", "jdk");

    /** The bytes of an object, valid until the next call. */
    ByteBuffer encode(Object root);

    /** The object of the bytes. */
    Object decode(byte[] bytes);

    static Carrier named(String name, TransferSet set) {
        if (name.equals("copy")) {
            return new FloatCopy();
        }
        Peer peer = name.equals("heapspan") ? Peers.create("heapspan-unchecked", set) : Peers.create(name, set);
        return new OfPeer(peer);
    }

    /** Whether the carrier can carry the set at all. */
    static boolean carries(String name, String set) {
        return !name.equals("copy") || set.equals("floats");
    }

    /** A serializer. */
    final class OfPeer implements Carrier {
        private final Peer peer;
        private final Object[] one = {""};

        OfPeer(Peer peer) {
            this.peer = peer;
        }

        /** A chunk of one record: then no peer has to copy what it has written. */
        @Override
        public ByteBuffer encode(Object root) {
            one[0] = root;
            peer.encodeChunk(one);
            return peer.encodedInPlace();
        }

        @Override
        public Object decode(byte[] bytes) {
            return peer.decodeChunk(bytes)[0];
        }
    }

    /** The least that an array of numbers takes: one copy on each side. */
    final class FloatCopy implements Carrier {
        private ByteBuffer buffer = ByteBuffer.allocate(0);

        @Override
        public ByteBuffer encode(Object root) {
            float[] floats = (float[]) root;
            int sizeBytes = floats.length * Float.BYTES;
            if (buffer.capacity() < sizeBytes) {
                buffer = ByteBuffer.allocate(sizeBytes).order(ByteOrder.nativeOrder());
            }
            buffer.clear();
            buffer.asFloatBuffer().put(floats);
            return buffer.limit(sizeBytes);
        }

        @Override
        public Object decode(byte[] bytes) {
            float[] floats = new float[bytes.length / Float.BYTES];
            ByteBuffer.wrap(bytes)
                    .order(ByteOrder.nativeOrder())
                    .asFloatBuffer()
                    .get(floats);
            return floats;
        }
    }
}
