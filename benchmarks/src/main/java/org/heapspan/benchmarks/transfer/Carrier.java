package org.heapspan.benchmarks.transfer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;

/** Makes bytes of an object and an object of bytes, at the two ends of a connection. Not thread-safe. */
interface Carrier {
    /** All carriers, in the order of the report: a plain copy, and serializers by the names that {@link Peers} has for them. */
    List<String> NAMES = List.of(
            "copy",
            "heapspan",
            "heapspan-unchecked",
            "heapspan-raw",
            "fory-refs",
            "fory",
            "fory-fixed",
            "kryo-refs",
            "kryo",
            "jdk");

    /** What is measured unless asked otherwise: all but Heapspan's checksums, which no other has, and what took longer on each shape tried. */
    List<String> DEFAULT_NAMES =
            List.of("copy", "heapspan-unchecked", "heapspan-raw", "fory-refs", "fory", "fory-fixed", "kryo");

    /** Those that keep the identity of references, as Heapspan does. */
    List<String> RIVALS_WITH_REFERENCES = List.of("fory-refs", "kryo-refs");

    /** All that the goal is about; without references each reference becomes a copy of its own, and a cycle fails. */
    List<String> RIVALS = List.of("fory-refs", "fory", "fory-fixed", "kryo-refs", "kryo");

    /** The bytes of an object, valid until the next call. */
    ByteBuffer encode(Object root);

    /** The object of the bytes. */
    Object decode(byte[] bytes);

    static Carrier named(String name, SizedSet set) {
        if (name.equals("copy")) {
            return new FloatCopy();
        }
        return new OfPeer(Peers.create(name, set));
    }

    /** The carrier's name for people. */
    static String title(String name) {
        return name.equals("copy") ? "plain copy" : Peers.title(name);
    }

    /**
     * What docs/encodings.md advises for bytes that are read once: the compact encoding, whatever the data; without checksum, as all others here. Not what was fastest.
     */
    static String byRule() {
        return "heapspan-unchecked";
    }

    /** Whether the carrier can carry the set, and does so in a way of its own. */
    static boolean carries(String name, String set) {
        return switch (name) {
            case "copy" -> set.equals("floats");
            // In the other sets there is no number that Fory would compress.
            case "fory-fixed" -> set.equals("map") || set.equals("media");
            default -> true;
        };
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
