package org.heapspan.exchange;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An {@link ObjectOutputStream} whose objects travel through the exchange space: the stream itself carries an address and a length for each (ZCOT
 * section 3.3, {@code ZCObjectOutputStream}). On one host the receiver reads an object from shared memory. Primitive data and {@code null} are in the
 * stream.
 *
 * <p>Each {@code writeObject} publishes a group of its own. The server keeps it until its receiver has read it, at most for the time of {@link
 * ExchangeServerOptions#withHandOver}; this JVM may end before. So a stream can be read once. An object that is written again is a reference to the
 * first one, until {@link #reset}, as with Java's streams. Objects do not share parts with each other. Not thread-safe.
 *
 * <p>Failures of the exchange are an {@link ExchangeException}.
 */
public final class ExchangeObjectOutputStream extends ObjectOutputStream {
    private final HeapAccess access;

    /**
     * Opens a stream.
     *
     * @param target takes addresses and primitive data
     * @param heap where the objects go; must stay open
     * @throws IOException if the target fails
     */
    public ExchangeObjectOutputStream(OutputStream target, GlobalHeap heap) throws IOException {
        super(target);
        access = heap.access();
        enableReplaceObject(true);
    }

    @Override
    protected @Nullable Object replaceObject(@Nullable Object value) {
        if (value == null || value instanceof GroupReference) {
            return value;
        }
        HeapAccess.Written written =
                access.write("sending of an object", value, new HeapAccess.Target("", 0, true), List.of());
        return new GroupReference(
                written.stored().address(), written.image().bytes().sizeBytes());
    }
}
