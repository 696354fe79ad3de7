package org.heapspan.tests.conformance;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanBuilder;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.HeapspanObjectOutputStream;
import org.heapspan.Mode;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/** Heapspan's object streams: the root between primitives and other objects, written twice. */
final class HeapspanObjectStreamCodec implements Codec {

    private final boolean checksum;

    HeapspanObjectStreamCodec() {
        this(true);
    }

    HeapspanObjectStreamCodec(boolean checksum) {
        this.checksum = checksum;
    }

    @Override
    public String name() {
        return checksum ? "heapspan:objects" : "heapspan:unchecked-objects";
    }

    @Override
    public boolean judgesMessages() {
        return true;
    }

    @Override
    public String category(Throwable refusal) {
        return refusal instanceof HeapspanException e ? e.category().name() : "";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream out = new HeapspanObjectOutputStream(
                bytes,
                Heapspan.builder()
                        .mode(Mode.valueOf(mode.name()))
                        .checksum(checksum)
                        .build())) {
            out.writeInt(42);
            out.writeObject("before");
            out.writeObject(root);
            out.writeObject(root);
            out.writeUTF("after");
        }
        return bytes.toByteArray();
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader)
            throws IOException, ClassNotFoundException {
        HeapspanBuilder builder =
                Heapspan.builder().mode(Mode.valueOf(mode.name())).classLoader(loader);
        if (trust == Trust.CORPUS_ALLOWED) {
            builder.allow("org.heapspan.tests.**").allow("java.io.ObjectStreamClass");
        }
        try (HeapspanObjectInputStream in =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), builder.build())) {
            Check.equal(42, in.readInt(), "int before the objects");
            Check.equal("before", in.readObject(), "first object of the stream");
            Object first = in.readObject();
            Object second = in.readObject();
            Check.that(first == second || !hasIdentity(first), "the root written twice is one object");
            Check.equal("after", in.readUTF(), "text after the objects");
            return first;
        }
    }

    /** Java disowns the identity of value-based classes, and so may a codec. */
    private static boolean hasIdentity(Object object) {
        String name = object == null ? "java.lang.Void" : object.getClass().getName();
        return !(name.startsWith("java.time.")
                || name.startsWith("java.util.Optional")
                || object instanceof Number
                || object instanceof Boolean
                || object instanceof Character);
    }
}
