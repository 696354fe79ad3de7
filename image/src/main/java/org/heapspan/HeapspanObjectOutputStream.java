package org.heapspan;

import java.io.IOException;
import java.io.OutputStream;
import org.heapspan.image.engine.GraphStreamOutput;

/**
 * An {@link java.io.ObjectOutputStream} that writes object images. To use it, change one constructor call (Skyway section 3.3). Objects that
 * several written objects refer to stay shared, until {@link #reset()}. Classes need not be Serializable. Serialization methods of classes are
 * called.
 *
 * <p>A large graph is sent in frames during its traversal. A small graph is sent by {@link #flush()} or {@link #close()}. If an object is
 * written twice, the second write is a reference to the first, even if the object has changed, as with Java's streams. Not thread-safe.
 *
 * <p>Failures: for an object that cannot be written Java's stream throws a {@code NotSerializableException} or an {@code InvalidClassException}.
 * This stream throws an unchecked {@link HeapspanException} with a category and the path to the object. An {@link IOException} of the target is
 * thrown unchanged. An {@link Error} of a serialization method, such as an {@link AssertionError}, is thrown unchanged too. After each of these,
 * and after another {@link RuntimeException} of {@link #writeObject}, the stream cannot be used, because a part of the object may have been sent.
 * Every further call that writes (primitive data too), flushes or resets throws an IOException. Only {@link #close} does not: open another stream.
 */
public final class HeapspanObjectOutputStream extends GraphStreamOutput {
    /**
     * Opens a stream with all options at their defaults.
     *
     * @param target takes the bytes
     * @throws IOException never. The header is sent with the first bytes
     * @throws LinkageError if property {@code heapspan.verify} or {@code heapspan.verify.dump} is invalid: correct or remove it
     */
    public HeapspanObjectOutputStream(OutputStream target) throws IOException {
        this(target, Heapspan.withDefaults());
    }

    /**
     * Opens a stream.
     *
     * @param target takes the bytes
     * @param heapspan the options
     * @throws IOException never. The header is sent with the first bytes
     */
    public HeapspanObjectOutputStream(OutputStream target, Heapspan heapspan) throws IOException {
        super(heapspan.engine(), target);
    }
}
