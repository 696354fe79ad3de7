package org.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.heapspan.image.engine.ImageEngine;
import org.jspecify.annotations.Nullable;

/**
 * Encodes, decodes and copies Java object graphs as object images.
 *
 * <pre>{@code
 * Heapspan heapspan = Heapspan.create();
 * byte[] bytes = heapspan.encode(order);
 * Order copy = heapspan.decode(bytes, Order.class);
 * }</pre>
 *
 * <p>Classes need no registration. An object travels field by field, or by its own serialization methods if it has any. Shared objects stay shared and
 * cycles stay cycles. Graphs may be deep, with the exceptions in {@code docs/fidelity.md}. Classes that mean nothing elsewhere (threads, sockets,
 * class loaders, ...) are refused, with the path to the object.
 *
 * <p>{@code encode} and {@code copy} take any class. {@code decode} treats its bytes as untrusted. It admits Serializable classes, and of the JDK's
 * classes only plain data. {@link HeapspanBuilder#allow} and {@link HeapspanBuilder#filter} admit others.
 *
 * <p>Thread-safe: share one instance. If other threads change a graph while it is encoded, the image mixes old and new values and can be decoded. Encoding
 * can also fail with a {@link HeapspanException}: of category USAGE if a map or collection changed in each of 100 attempts to read it, of category HOOK if
 * a method of a class in the graph failed on what it found.
 */
public final class Heapspan {
    private final ImageEngine engine;

    Heapspan(ImageEngine engine) {
        this.engine = engine;
    }

    /** What all streams share that were given no options. */
    private static final class Defaults {
        static final Heapspan INSTANCE = create();
    }

    /** An instance with all options at their defaults. */
    static Heapspan withDefaults() {
        return Defaults.INSTANCE;
    }

    /**
     * Creates an instance with all options at their defaults.
     *
     * @return the instance
     */
    public static Heapspan create() {
        return builder().build();
    }

    /**
     * Begins to choose options.
     *
     * @return a builder with all options at their defaults
     */
    public static HeapspanBuilder builder() {
        return new HeapspanBuilder();
    }

    /**
     * What Heapspan has done in this process so far, all instances together: images, bytes and records by encoding, what the direct engine
     * made and what it left to the portable one and why. Costs some microseconds.
     *
     * @return a snapshot
     */
    public static EngineStatistics statistics() {
        return ImageEngine.statistics();
    }

    /** For the object streams and groups of this package. */
    ImageEngine engine() {
        return engine;
    }

    /**
     * Encodes an object and all it refers to.
     *
     * @param root the object, or null
     * @return its image in the compact encoding
     * @throws HeapspanException if the graph holds an object of a refused class, a method of a user class fails, other threads change a
     *     collection again and again meanwhile, the stack is too small for what cannot be deferred (LIMIT), or the image is longer
     *     than an array can be (LIMIT; then use a stream or channel)
     */
    public byte[] encode(@Nullable Object root) {
        return engine.encode(root, Encoding.COMPACT);
    }

    /**
     * Encodes a graph of any size; bytes leave while the traversal goes on.
     *
     * @param root the object, or null
     * @param target takes the image; it is neither flushed nor closed
     * @throws IOException if the stream fails
     * @throws HeapspanException as {@link #encode(Object)}
     */
    public void encodeTo(@Nullable Object root, OutputStream target) throws IOException {
        engine.encodeTo(root, Encoding.COMPACT, target);
    }

    /**
     * Encodes a graph of any size; bytes leave while the traversal goes on.
     *
     * @param root the object, or null
     * @param target takes the image; a blocking channel
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #encode(Object)}, or of category USAGE if the channel does not block
     */
    public void encodeTo(@Nullable Object root, WritableByteChannel target) throws IOException {
        engine.encodeTo(root, Encoding.COMPACT, target);
    }

    /**
     * Encodes an object and all it refers to, in an encoding of choice.
     *
     * @param root the object, or null
     * @param encoding {@link Encoding#RAW} for readers that use {@link #decodeTrusted}
     * @return its image
     * @throws HeapspanException as {@link #encode(Object)}
     */
    public byte[] encode(@Nullable Object root, Encoding encoding) {
        return engine.encode(root, encoding);
    }

    /**
     * Encodes a graph of any size, in an encoding of choice; bytes leave while the traversal goes on.
     *
     * @param root the object, or null
     * @param encoding {@link Encoding#RAW} for readers that use {@link #decodeTrustedFrom}
     * @param target takes the image; it is neither flushed nor closed
     * @throws IOException if the stream fails
     * @throws HeapspanException as {@link #encode(Object)}
     */
    public void encodeTo(@Nullable Object root, Encoding encoding, OutputStream target) throws IOException {
        engine.encodeTo(root, encoding, target);
    }

    /**
     * Encodes a graph of any size, in an encoding of choice; bytes leave while the traversal goes on.
     *
     * @param root the object, or null
     * @param encoding {@link Encoding#RAW} for readers that use {@link #decodeTrustedFrom}
     * @param target takes the image; a blocking channel
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #encode(Object)}, or of category USAGE if the channel does not block
     */
    public void encodeTo(@Nullable Object root, Encoding encoding, WritableByteChannel target) throws IOException {
        engine.encodeTo(root, encoding, target);
    }

    /**
     * Encodes a graph into memory, into several buffers one after the other where one is too small: a buffer cannot be larger than
     * 2 GB, an image can. The image is split wherever a buffer ends.
     *
     * @param root the object, or null
     * @param targets take the image from their positions to their limits, heap or direct memory; their positions are moved behind
     *     it, or stay where they are if it fails
     * @return how many bytes the image has
     * @throws HeapspanException as {@link #encode(Object)}; of category LIMIT if the buffers are too small, saying how much is needed
     * @throws java.nio.ReadOnlyBufferException if a buffer that is needed is read-only
     */
    public long encodeTo(@Nullable Object root, ByteBuffer... targets) {
        return engine.encodeTo(root, Encoding.COMPACT, targets);
    }

    /**
     * Encodes a graph into memory, in an encoding of choice, as {@link #encodeTo(Object, ByteBuffer...)} does.
     *
     * @param root the object, or null
     * @param encoding {@link Encoding#RAW} for readers that use {@link #decodeTrustedFrom(ByteBuffer, Class)}
     * @param targets take the image from their positions to their limits, heap or direct memory; their positions are moved behind
     *     it, or stay where they are if it fails
     * @return how many bytes the image has
     * @throws HeapspanException as {@link #encode(Object)}; of category LIMIT if the buffers are too small, saying how much is needed
     * @throws java.nio.ReadOnlyBufferException if a buffer that is needed is read-only
     */
    public long encodeTo(@Nullable Object root, Encoding encoding, ByteBuffer... targets) {
        return engine.encodeTo(root, encoding, targets);
    }

    /**
     * Decodes a graph. The bytes need not be trusted: they never crash the JVM.
     *
     * @param image one image, all of the array
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException if the bytes are no image, are altered or truncated, exceed a limit, or hold classes that are not
     *     admitted or not found
     */
    public <T> @Nullable T decode(byte[] image, Class<T> type) {
        return checked(engine.decode(image), type);
    }

    /**
     * Decodes a graph from a stream, of which nothing behind the image is read.
     *
     * @param source delivers one image, written by {@link #encodeTo(Object, OutputStream)} or, if nothing follows it, {@link #encode(Object)}
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the stream fails
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(InputStream source, Class<T> type) throws IOException {
        return checked(engine.decodeFrom(source), type);
    }

    /**
     * Decodes a graph from a blocking channel, of which nothing behind the image is read.
     *
     * @param source delivers one image
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(ReadableByteChannel source, Class<T> type) throws IOException {
        return checked(engine.decodeFrom(source), type);
    }

    /**
     * Decodes a graph from memory.
     *
     * @param source one image from its position to its limit, heap or direct memory, which must not change meanwhile; its position
     *     is moved to the limit, or stays where it is if it fails
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(ByteBuffer source, Class<T> type) {
        return checked(engine.decodeFrom(source), type);
    }

    /**
     * Decodes a graph from memory that lies in several buffers, the counterpart of {@link #encodeTo(Object, ByteBuffer...)}.
     *
     * @param sources one image, from the position to the limit of each buffer in turn, split anywhere; as for one buffer
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(ByteBuffer[] sources, Class<T> type) {
        return checked(engine.decodeFrom(sources), type);
    }

    /**
     * Decodes a graph that a trusted process encoded, in either encoding.
     *
     * <p>Bytes may be trusted if this process or one that could as well run code in this process wrote them, and nobody else could
     * alter them since: files that only these can write, memory or sockets between processes of one owner that know each other. No
     * filter and no allow-list is asked, and objects get the fields that the image says, whatever their constructors would check.
     * Bytes that were damaged on the way still give an exception and not a broken heap, as long as they carry checksums
     * ({@link HeapspanBuilder#checksum}). A raw image without them is trusted like memory: damage can do what a wild pointer does. Nobody may
     * write to the array before this returns: a raw image is checked first and read where it lies.
     *
     * @param image one image, all of the array
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException if the bytes are no image, are altered or truncated, exceed a limit, or hold classes that are not
     *     found or differ too much from the writer's; with category ACCESS if the image is raw and this JVM grants no raw memory
     */
    public <T> @Nullable T decodeTrusted(byte[] image, Class<T> type) {
        return checked(engine.decodeTrusted(image), type);
    }

    /**
     * Decodes a graph that a trusted process encoded from a stream, of which nothing behind the image is read.
     *
     * @param source delivers one image
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the stream fails
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(InputStream source, Class<T> type) throws IOException {
        return checked(engine.decodeTrustedFrom(source), type);
    }

    /**
     * Decodes a graph that a trusted process encoded from a blocking channel, of which nothing behind the image is read.
     *
     * @param source delivers one image
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(ReadableByteChannel source, Class<T> type) throws IOException {
        return checked(engine.decodeTrustedFrom(source), type);
    }

    /**
     * Decodes a graph that a trusted process encoded from memory.
     *
     * @param source one image from its position to its limit, heap or direct memory, which must not change meanwhile; its position
     *     is moved to the limit, or stays where it is if it fails
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(ByteBuffer source, Class<T> type) {
        return checked(engine.decodeTrustedFrom(source), type);
    }

    /**
     * Decodes a graph that a trusted process encoded from memory that lies in several buffers, the counterpart of
     * {@link #encodeTo(Object, Encoding, ByteBuffer...)}.
     *
     * @param sources one image, from the position to the limit of each buffer in turn, split anywhere; as for one buffer
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(ByteBuffer[] sources, Class<T> type) {
        return checked(engine.decodeTrustedFrom(sources), type);
    }

    /**
     * Makes a deep copy within this JVM. The copy's objects are of the same classes as the original's, whatever loaders these have: no
     * class is looked for by its name, and no class loader, filter or limit among the options is asked.
     *
     * @param root the object, or null
     * @param <T> its class
     * @return a copy that shares nothing mutable with the original
     * @throws HeapspanException as {@link #encode(Object)}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The copy of null, and only of null, is null.
    public <T extends @Nullable Object> T copy(T root) {
        return (T) engine.copy(root);
    }

    /**
     * Creates a writer of groups whose records share nothing with one another.
     *
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter() {
        return groupWriter(IdentityScope.RECORD);
    }

    /**
     * Creates a writer of groups.
     *
     * @param scope whether objects that several records refer to stay shared
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter(IdentityScope scope) {
        return new GroupWriter(engine, Encoding.COMPACT, scope);
    }

    /**
     * Creates a writer of record groups in an encoding of choice, each record of which is an identity scope of its own.
     *
     * @param encoding {@link Encoding#RAW} for readers that use {@link #trustedGroupReader}
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter(Encoding encoding) {
        return new GroupWriter(engine, encoding, IdentityScope.RECORD);
    }

    /**
     * Opens a group that {@link GroupWriter} has written in a trusted process, in either encoding.
     *
     * @param group one group, all of the array
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are no group, as {@link #decodeTrusted}
     */
    public GroupReader trustedGroupReader(byte[] group) {
        return new GroupReader(engine, group, 0, group.length, true);
    }

    /**
     * Opens a group that {@link GroupWriter} has written in a trusted process, in either encoding.
     *
     * @param group one group from position to limit; a heap buffer is read in place and must not change until the last record has
     *     been read
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are no group, as {@link #decodeTrusted}
     */
    public GroupReader trustedGroupReader(ByteBuffer group) {
        return groupReader(group, true);
    }

    /**
     * Opens a group that {@link GroupWriter} has written.
     *
     * @param group one group, all of the array
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are no group
     */
    public GroupReader groupReader(byte[] group) {
        return new GroupReader(engine, group, 0, group.length, false);
    }

    /**
     * Opens a group that {@link GroupWriter} has written.
     *
     * @param group one group from position to limit; a heap buffer is read in place and must not change until the last record has
     *     been read
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are no group
     */
    public GroupReader groupReader(ByteBuffer group) {
        return groupReader(group, false);
    }

    private GroupReader groupReader(ByteBuffer group, boolean trusted) {
        if (group.hasArray()) {
            return new GroupReader(
                    engine, group.array(), group.arrayOffset() + group.position(), group.remaining(), trusted);
        }
        byte[] copy = new byte[group.remaining()];
        group.duplicate().get(copy);
        return new GroupReader(engine, copy, 0, copy.length, trusted);
    }

    private static <T> @Nullable T checked(@Nullable Object root, Class<T> type) {
        if (root != null && !type.isInstance(root)) {
            throw new HeapspanException(
                    HeapspanException.Category.USAGE,
                    "the image holds a " + root.getClass().getName() + ", asked for was a " + type.getName()
                            + "; ask for that class, or for Object.class");
        }
        return type.cast(root);
    }
}
