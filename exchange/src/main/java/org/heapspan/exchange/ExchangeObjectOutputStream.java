package org.heapspan.exchange;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * An {@link ObjectOutputStream} whose objects travel through the exchange space: the stream itself carries an address and a length for each (ZCOT
 * section 3.3, {@code ZCObjectOutputStream}). On one host the receiver reads an object from shared memory. Primitive data and {@code null} are in the
 * stream. There are two modes:
 *
 * <ul>
 *   <li><b>Volatile</b>, for a receiver who reads the stream once. The server keeps an object until its receiver has read it, at most for the time of
 *       {@link ExchangeServerOptions#withHandOver}.
 *   <li><b>Persistent</b>, for bytes that are stored and read later, any number of times. Each object is also the object of a key. It stays until the
 *       program removes this key ({@link GlobalHeap#remove}). Nothing else frees it. It outlives the server as keys do: see {@link
 *       ExchangeServerOptions#keepingKeys}.
 * </ul>
 *
 * <p>In both modes this JVM may end before the stream is read. Each {@code writeObject} publishes a group of its own. An object that is written again is
 * a reference to the first one, until {@link #reset}, as with Java's streams. Objects do not share parts with each other. Not thread-safe.
 *
 * <p>A {@link Class} cannot be written by itself, only within another object: {@code writeObject} throws a {@link HeapspanException} of category USAGE.
 * The stream cannot be used after that.
 *
 * <p>Failures of the exchange are an {@link ExchangeException}.
 */
public final class ExchangeObjectOutputStream extends ObjectOutputStream {
    private final GlobalHeap heap;

    /** What the keys of the objects begin with; null if the stream is volatile. */
    private final @Nullable String prefix;

    /** How many keys were used. */
    private long keys;

    /**
     * Opens a volatile stream.
     *
     * @param target takes addresses and primitive data
     * @param heap where the objects go; must stay open
     * @throws IOException if the target fails
     */
    public ExchangeObjectOutputStream(OutputStream target, GlobalHeap heap) throws IOException {
        super(target);
        this.heap = heap;
        prefix = null;
        enableReplaceObject(true);
    }

    /**
     * Opens a persistent stream. Its objects have the keys {@code name/1}, {@code name/2}, and so on. They are stored while they are written, even if the
     * stream is never closed. To free them, remove all keys of {@code heap.list(name + "/")}.
     *
     * @param target takes addresses and primitive data
     * @param heap where the objects go; must stay open
     * @param name of the stream: not empty, and short enough for keys of at most 1,024 bytes of UTF-8. If a stream of this name has been written, and its
     *     keys have not been removed, {@code writeObject} fails with KEY_EXISTS
     * @throws IOException if the target fails
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public ExchangeObjectOutputStream(OutputStream target, GlobalHeap heap, String name) throws IOException {
        super(target);
        this.heap = heap;
        prefix = prefix(name);
        enableReplaceObject(true);
    }

    private static String prefix(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the name of the stream is empty");
        }
        GlobalHeap.checkKey(name + "/" + Long.MAX_VALUE);
        return name + "/";
    }

    @Override
    protected @Nullable Object replaceObject(@Nullable Object value) {
        if (value == null || value instanceof GroupReference || value instanceof StoredReference) {
            return value;
        }
        if (prefix != null) {
            keys++;
            return store(prefix + keys, value);
        }
        HeapAccess.Written written =
                heap.access().write("sending of an object", value, new HeapAccess.Target("", 0, true), List.of());
        return new GroupReference(
                written.stored().address(), written.image().bytes().sizeBytes());
    }

    /** The superclass writes a class without {@link #replaceObject}, and readers refuse it. So its writer must hear of that. */
    @Override
    protected void annotateClass(Class<?> type) {
        if (type != GroupReference.class && type != StoredReference.class) {
            throw notCarried(type);
        }
    }

    @Override
    protected void annotateProxyClass(Class<?> type) {
        throw notCarried(type);
    }

    private static HeapspanException notCarried(Class<?> type) {
        return new HeapspanException(
                Category.USAGE,
                "writing of " + type + " failed: the object is a Class, expected another object or null;"
                        + " write the name of the class, or an array or object that contains the Class");
    }

    private StoredReference store(String key, Object value) {
        String action = "storing of the object of key '" + key + "'";
        HeapAccess.Written written =
                heap.access().write(action, value, new HeapAccess.Target(key, 0, false), List.of());
        // Where calls are repeated, a former attempt may have stored the object elsewhere.
        long address = heap.access().client().repeats()
                ? heap.find(key)
                        .orElseThrow(() -> ExchangeException.of(
                                ExchangeException.Reason.KEY_MISSING, action, "the key was removed at once"))
                        .address()
                : written.stored().address();
        return new StoredReference(key, address, written.image().bytes().sizeBytes());
    }
}
