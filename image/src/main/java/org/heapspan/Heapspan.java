package org.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
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
 * <p>Classes need no registration. Heapspan copies the fields of an object, or calls its serialization methods if it has any. Shared objects
 * stay shared, and cycles stay cycles. Graphs can have any depth, with the exceptions in {@code docs/fidelity.md}. Objects that have a meaning
 * in their own JVM only (threads, sockets, class loaders, ...) are refused. The exception has the path to the object.
 *
 * <p>{@code encode} and {@code copy} accept classes that are not Serializable. {@code decode} treats its bytes as untrusted. It accepts
 * Serializable classes only, and of the JDK's classes only plain data. {@link HeapspanBuilder#allow} and {@link HeapspanBuilder#filter} can
 * accept others.
 *
 * <p>Thread-safe: share one instance. If another thread changes a graph while it is encoded, the image has a mix of old and new values, and can
 * be decoded. Encoding can also fail with a {@link HeapspanException}. The category is USAGE if a map or collection changed in each of 100
 * attempts to read it. It is HOOK if a method of a class in the graph failed because of the change.
 */
public final class Heapspan {
    private final ImageEngine engine;

    Heapspan(ImageEngine engine) {
        this.engine = engine;
    }

    /** The engine of all streams without options. */
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
     * @throws IllegalArgumentException as {@link HeapspanBuilder#build}
     */
    public static Heapspan create() {
        return builder().build();
    }

    /**
     * Creates a builder.
     *
     * @return a builder with all options at their defaults
     */
    public static HeapspanBuilder builder() {
        return new HeapspanBuilder();
    }

    /**
     * Returns the counters of all instances in this process: images, bytes and records by encoding, chunks by engine, and why the portable
     * engine was used. Takes a few microseconds.
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
     * @throws HeapspanException with one of these categories. CLASS_REFUSED: the graph contains an object of a refused class. HOOK: a serialization
     *     method fails. USAGE: other threads change a collection in each attempt to read it. LIMIT: the stack is too small for objects that cannot be
     *     deferred, or the image is too long for an array (use a stream or channel)
     */
    public byte[] encode(@Nullable Object root) {
        return engine.encode(root, Encoding.COMPACT);
    }

    /**
     * Encodes a graph of any size; bytes are written during the traversal.
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
     * Encodes a graph of any size; bytes are written during the traversal.
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
     * Encodes an object and all it refers to, in an encoding of your choice.
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
     * Encodes a graph of any size, in an encoding of your choice; bytes are written during the traversal.
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
     * Encodes a graph of any size, in an encoding of your choice; bytes are written during the traversal.
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
     * Encodes a graph into one or more buffers. A buffer has at most 2 GB, but an image can be longer. The image continues in the next buffer
     * where a buffer ends.
     *
     * @param root the object, or null
     * @param targets take the image from their positions to their limits, heap or direct memory; their positions are moved to the end of
     *     it, or stay where they are if it fails
     * @return how many bytes the image has
     * @throws HeapspanException as {@link #encode(Object)}; of category LIMIT if the buffers are too small, saying how much is needed
     * @throws java.nio.ReadOnlyBufferException if a buffer that is needed is read-only
     */
    public long encodeTo(@Nullable Object root, ByteBuffer... targets) {
        return engine.encodeTo(root, Encoding.COMPACT, targets);
    }

    /**
     * Encodes a graph into memory, in an encoding of your choice, as {@link #encodeTo(Object, ByteBuffer...)} does.
     *
     * @param root the object, or null
     * @param encoding {@link Encoding#RAW} for readers that use {@link #decodeTrustedFrom(ByteBuffer, Class)}
     * @param targets take the image from their positions to their limits, heap or direct memory; their positions are moved to the end of
     *     it, or stay where they are if it fails
     * @return how many bytes the image has
     * @throws HeapspanException as {@link #encode(Object)}; of category LIMIT if the buffers are too small, saying how much is needed
     * @throws java.nio.ReadOnlyBufferException if a buffer that is needed is read-only
     */
    public long encodeTo(@Nullable Object root, Encoding encoding, ByteBuffer... targets) {
        return engine.encodeTo(root, encoding, targets);
    }

    /**
     * Encodes a graph of any size, with references to objects that its reader has already. The image does not hold these objects. It is
     * compact.
     *
     * @param root the object, or null; not looked up among the shared objects itself
     * @param shared returns the number of a shared object from 0 on, and a negative number for others. It is called for each reference to an
     *     object with identity, by the calling thread, or by another thread for which the calling thread waits. So it must not depend on
     *     thread-locals. It must return the same number for the same object
     * @param target takes the image; it is neither flushed nor closed
     * @throws IOException if the stream fails
     * @throws HeapspanException as {@link #encode(Object)}
     */
    public void encodeTo(@Nullable Object root, ToIntFunction<Object> shared, OutputStream target) throws IOException {
        engine.encodeTo(root, shared, target);
    }

    /**
     * Decodes a graph from untrusted bytes. Malformed bytes cause an exception, and never crash the JVM.
     *
     * @param image one image, all of the array
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException if the bytes are not an image, or are damaged or truncated (MALFORMED). If they exceed a limit (LIMIT). If they
     *     have another format version (VERSION), or are a raw image or an object stream (LAYOUT). If a class is not accepted (CLASS_REJECTED),
     *     not found (CLASS_NOT_FOUND), or differs too much from the writer's (EVOLUTION). If a serialization method fails (HOOK). If the root is
     *     not a {@code type} (USAGE)
     */
    public <T> @Nullable T decode(byte[] image, Class<T> type) {
        return checked(engine.decode(image), type);
    }

    /**
     * Decodes a graph from a stream. Bytes after the image are not read.
     *
     * @param source delivers one image that was written to a stream or channel. If nothing follows it, it can also be an image of {@link
     *     #encode(Object)} or {@link #encodeTo(Object, ByteBuffer...)}
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
     * Decodes a graph from a blocking channel. Bytes after the image are not read.
     *
     * @param source delivers one image, as for {@link #decodeFrom(InputStream, Class)}
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #decode}, or of category USAGE if the channel does not block
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
        return consumed(engine.decodeFrom(source), type, source);
    }

    /**
     * Decodes a graph from several buffers, as {@link #encodeTo(Object, ByteBuffer...)} writes it.
     *
     * @param sources one image, from the position to the limit of each buffer in turn, split anywhere; as for one buffer
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(ByteBuffer[] sources, Class<T> type) {
        return consumed(engine.decodeFrom(sources), type, sources);
    }

    /**
     * Decodes a graph that {@link #encodeTo(Object, ToIntFunction, OutputStream)} has encoded. Each reference to a shared object becomes a
     * reference to the object that this reader has. Other images are decoded too.
     *
     * @param sources one image, as for {@link #decodeFrom(ByteBuffer[], Class)}
     * @param shared returns the shared object of a number, which can be any number from 0 on; throws a {@link HeapspanException} if there is
     *     none. It is called by the calling thread, or by another thread for which the calling thread waits. So it must not depend on thread-locals
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decode}
     */
    public <T> @Nullable T decodeFrom(ByteBuffer[] sources, IntFunction<?> shared, Class<T> type) {
        return consumed(engine.decodeFrom(sources, shared), type, sources);
    }

    /**
     * Decodes a graph from trusted bytes, in either encoding.
     *
     * <p>Trust bytes only if this process, or a process that may run code in this one, wrote them, and nobody else can have changed them.
     * Examples are files that only these processes can write, and memory or sockets between processes of one owner. Filter and allow-list are
     * not applied. Objects get the field values of the image, without the checks of their constructors.
     *
     * <p>If the image has checksums ({@link HeapspanBuilder#checksum}), damaged bytes cause an exception. A raw image without checksums is
     * trusted like memory: damage can crash the JVM. Do not write to the array before this method returns: a raw image is checked first, and
     * then read in place.
     *
     * @param image one image, all of the array
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException if the bytes are no image, are altered or truncated, exceed a limit, or hold classes that are not
     *     found or differ too much from the writer's; with category ACCESS if the image is raw and this JVM grants no raw memory; USAGE if the
     *     root is not a {@code type}; otherwise with the categories of {@link #decode}
     */
    public <T> @Nullable T decodeTrusted(byte[] image, Class<T> type) {
        return checked(engine.decodeTrusted(image), type);
    }

    /**
     * Decodes a graph from a stream of trusted bytes. Bytes after the image are not read.
     *
     * @param source delivers one image, as for {@link #decodeFrom(InputStream, Class)}
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
     * Decodes a graph from a blocking channel of trusted bytes. Bytes after the image are not read.
     *
     * @param source delivers one image, as for {@link #decodeFrom(InputStream, Class)}
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws IOException if the channel fails
     * @throws HeapspanException as {@link #decodeTrusted}, or of category USAGE if the channel does not block
     */
    public <T> @Nullable T decodeTrustedFrom(ReadableByteChannel source, Class<T> type) throws IOException {
        return checked(engine.decodeTrustedFrom(source), type);
    }

    /**
     * Decodes a graph from a buffer of trusted bytes.
     *
     * @param source one image from its position to its limit, heap or direct memory, which must not change meanwhile; its position
     *     is moved to the limit, or stays where it is if it fails
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(ByteBuffer source, Class<T> type) {
        return consumed(engine.decodeTrustedFrom(source), type, source);
    }

    /**
     * Decodes a graph from several buffers of trusted bytes, as {@link #encodeTo(Object, Encoding, ByteBuffer...)} writes it.
     *
     * @param sources one image, from the position to the limit of each buffer in turn, split anywhere; as for one buffer
     * @param type class of the root
     * @param <T> class of the root
     * @return the root, or null if null was encoded
     * @throws HeapspanException as {@link #decodeTrusted}
     */
    public <T> @Nullable T decodeTrustedFrom(ByteBuffer[] sources, Class<T> type) {
        return consumed(engine.decodeTrustedFrom(sources), type, sources);
    }

    /**
     * Makes a deep copy within this JVM. The objects of the copy have the same classes as the original, whatever their class loaders. No class
     * is looked up by name. The options for class loader, filter and limits do not apply. Objects that have a number by {@link
     * HeapspanBuilder#links} are not copied.
     *
     * @param root the object, or null
     * @param <T> its class
     * @return a copy that shares nothing mutable with the original, except objects of links
     * @throws HeapspanException as {@link #encode(Object)}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The copy of null, and only of null, is null.
    public <T extends @Nullable Object> T copy(T root) {
        return (T) engine.copy(root);
    }

    /**
     * Creates a writer of groups whose records do not share objects.
     *
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter() {
        return groupWriter(IdentityScope.RECORD);
    }

    /**
     * Creates a writer of groups.
     *
     * @param scope whether records of a group share objects
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter(IdentityScope scope) {
        return new GroupWriter(engine, Encoding.COMPACT, scope);
    }

    /**
     * Creates a writer of groups in an encoding of your choice. Records do not share objects.
     *
     * @param encoding {@link Encoding#RAW} for readers that use {@link #trustedGroupReader}
     * @return a writer for one thread at a time
     */
    public GroupWriter groupWriter(Encoding encoding) {
        return new GroupWriter(engine, encoding, IdentityScope.RECORD);
    }

    /**
     * Creates a writer of records without headers.
     *
     * @param typeCount how many types of the registry readers have: those with the numbers 0 to {@code typeCount - 1}
     * @return a writer for one thread at a time
     * @throws HeapspanException of category USAGE if this instance has no {@linkplain HeapspanBuilder#typeRegistry registry}
     */
    public BodyWriter bodyWriter(int typeCount) {
        return new BodyWriter(engine, typeCount);
    }

    /**
     * Creates a reader of what {@link BodyWriter} has written in a trusted process.
     *
     * @param typeCount as for {@link #bodyWriter}; the registry must have them all
     * @return a reader for one thread at a time
     * @throws HeapspanException of category USAGE if this instance has no {@linkplain HeapspanBuilder#typeRegistry registry}
     */
    public BodyReader trustedBodyReader(int typeCount) {
        return new BodyReader(engine, typeCount);
    }

    /**
     * Opens a group that {@link GroupWriter} has written in a trusted process, in either encoding.
     *
     * @param group one group, all of the array
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are not a group, as {@link #decodeTrusted}
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
     * @throws HeapspanException if the bytes are not a group, as {@link #decodeTrusted}
     */
    public GroupReader trustedGroupReader(ByteBuffer group) {
        return groupReader(group, true);
    }

    /**
     * Opens a group that {@link GroupWriter} has written.
     *
     * @param group one group, all of the array
     * @return a reader for one thread at a time
     * @throws HeapspanException if the bytes are not a group
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
     * @throws HeapspanException if the bytes are not a group
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
                    "the image holds a " + root.getClass().getName() + ", but the caller expected a " + type.getName()
                            + "; use that class, or Object.class");
        }
        return type.cast(root);
    }

    /** Moves the positions of buffers that were read to their limits, unless the root is of another class. */
    private static <T> @Nullable T consumed(@Nullable Object root, Class<T> type, ByteBuffer... sources) {
        T result = checked(root, type);
        for (ByteBuffer source : sources) {
            source.position(source.limit());
        }
        return result;
    }
}
