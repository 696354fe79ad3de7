package org.heapspan.spark.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.ObjectLinks;
import org.heapspan.TypeRegistry;
import org.heapspan.spark.keys.ApplicationKeys;
import org.heapspan.spark.settings.SerializerOptions;
import org.heapspan.spark.types.ApplicationTypes;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes records for all serializers of this JVM that have the same options and the same class loader. Spark makes a
 * serializer for each shuffle of each task and an instance for each block: those must cost nothing, so what is worth keeping is here.
 *
 * <p>Thread-safe.
 */
public final class RecordEngine {
    /** What idle groups and buffers may take, a small part of the heap: a shuffle opens a group for each of its reducers. */
    private static final long MOST_IDLE_BYTES =
            Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 64);

    /** A group keeps the memory of its largest content: those that have become larger by this factor than they should are not kept. */
    private static final int LARGEST_IDLE_GROUPS = 4;

    /** Arrays of this length cost less than looking for one. */
    private static final int SMALL_ARRAY_BYTES = 2 << 10;

    /** Engines refer to their loaders: they are held by those who use them, so that loaders of ended sessions go. */
    private static final Map<ClassLoader, Map<SerializerOptions, WeakReference<RecordEngine>>> ENGINES =
            new WeakHashMap<>();

    final SerializerOptions options;
    private final ClassLoader loader;
    private final Heapspan heapspan;

    /** By which its groups number their classes; null for groups that describe them. */
    private final @Nullable TypeRegistry registry;

    /** By which its groups number keys; null for groups that have them all. */
    private final @Nullable ObjectLinks links;

    private volatile @Nullable RecordEngine numbering;

    /** A record of more bytes is a {@link LongRecord}, which takes little memory beside the record. */
    private volatile long mostRecordBytes = 16 << 20;

    private final ArrayDeque<OpenGroup> idleGroups = new ArrayDeque<>();
    private final ArrayDeque<byte[]> idleArrays = new ArrayDeque<>();
    private long idleBytes;

    private RecordEngine(
            SerializerOptions options,
            ClassLoader loader,
            @Nullable TypeRegistry registry,
            @Nullable ObjectLinks links) {
        this.options = options;
        this.loader = loader;
        this.registry = registry;
        this.links = links;
        heapspan = options.heapspan(loader, registry, links);
    }

    /**
     * Finds or makes an engine.
     *
     * @param loader where classes are found; null for the loader of Heapspan
     */
    public static RecordEngine of(SerializerOptions options, @Nullable ClassLoader loader) {
        ClassLoader known = loader != null ? loader : RecordEngine.class.getClassLoader();
        synchronized (ENGINES) {
            Map<SerializerOptions, WeakReference<RecordEngine>> ofLoader =
                    ENGINES.computeIfAbsent(known, any -> new HashMap<>());
            WeakReference<RecordEngine> reference = ofLoader.get(options);
            RecordEngine engine = reference == null ? null : reference.get();
            if (engine == null) {
                engine = new RecordEngine(options, known, null, null);
                ofLoader.put(options, new WeakReference<>(engine));
            }
            return engine;
        }
    }

    /** Where classes are found. */
    ClassLoader loader() {
        return loader;
    }

    /** By which its groups number their classes; null for groups that describe them. */
    @Nullable
    TypeRegistry registry() {
        return registry;
    }

    /** Whether its groups have numbers in the place of strings that are keys in many of them. */
    boolean numbersKeys() {
        return links != null;
    }

    /** Whether it is the one for a loader. */
    public boolean isFor(@Nullable ClassLoader other) {
        return loader == other;
    }

    /**
     * The engine for what does not outlive the driver: its groups name classes and keys by their numbers in the application, if it has
     * any. All others have descriptions and keys themselves. Every engine reads both.
     */
    public RecordEngine forShuffle() {
        TypeRegistry currentTypes = ApplicationTypes.registry();
        ObjectLinks currentKeys = ApplicationKeys.keys();
        if (currentTypes == null && currentKeys == null || currentTypes == registry && currentKeys == links) {
            return this;
        }
        RecordEngine engine = numbering;
        if (engine == null || engine.registry != currentTypes || engine.links != currentKeys) {
            engine = new RecordEngine(options, loader, currentTypes, currentKeys);
            numbering = engine;
        }
        return engine;
    }

    /** Loads the classes that all records need, so that no task has to wait for them. It is no record in the counts. */
    public void warmUp() {
        Object ignored = decode(encode("Heapspan"));
    }

    byte[] encode(@Nullable Object value) {
        return heapspan.encode(value, options.encoding());
    }

    @Nullable
    Object decode(byte[] image) {
        // Blocks of one application, as trusted as its classes: Spark itself reads them by Java serialization.
        return heapspan.decodeTrusted(image, Object.class);
    }

    /** Encodes a record of any length, with the end frame by which its end is known. */
    void encodeTo(@Nullable Object record, OutputStream target) throws IOException {
        heapspan.encodeTo(record, options.encoding(), target);
    }

    /** Decodes a record that {@link #encodeTo} has written, and nothing behind it. */
    @Nullable
    Object decodeFrom(InputStream source) throws IOException {
        return forShuffle().heapspan.decodeTrustedFrom(source, Object.class);
    }

    GroupReader read(ByteBuffer group) {
        return forShuffle().heapspan.trustedGroupReader(group);
    }

    /** Sets from how many bytes on a record is a {@link LongRecord}, for groups that are made from now on. For tests, which want short ones. */
    void limitRecords(long mostBytes) {
        mostRecordBytes = mostBytes;
    }

    /** Whether an image is so long that it is a {@link LongRecord}. */
    boolean isLong(long imageBytes) {
        return imageBytes > mostRecordBytes;
    }

    /** A group without records, for one thread. */
    OpenGroup takeGroup() {
        synchronized (this) {
            OpenGroup idle = idleGroups.pollLast();
            if (idle != null) {
                idleBytes -= idle.memoryBytes();
                return idle;
            }
        }
        GroupWriter writer = heapspan.groupWriter(options.encoding());
        writer.limitTo(options.groupBytes() + mostRecordBytes);
        return new OpenGroup(writer, registry == null ? null : registry.id());
    }

    /** Takes back a group that was taken, unless it holds records, which must not come into another. */
    void giveBack(OpenGroup group) {
        if (!group.isEmpty() || !isOfOrdinarySize(group.bufferBytes())) {
            return;
        }
        synchronized (this) {
            if (idleBytes + group.memoryBytes() <= MOST_IDLE_BYTES) {
                idleBytes += group.memoryBytes();
                idleGroups.addLast(group);
            }
        }
    }

    /** An array of at least this length, with anything in it. */
    byte[] takeArray(int length) {
        if (length <= SMALL_ARRAY_BYTES) {
            return new byte[length];
        }
        synchronized (this) {
            byte[] idle = idleArrays.pollLast();
            if (idle != null) {
                idleBytes -= idle.length;
                if (idle.length >= length) {
                    return idle;
                }
            }
        }
        int ordinaryBytes =
                options.groupBytes() + options.groupBytes() / 8; // a group ends with the record that fills it
        return new byte[Math.max(length, isOfOrdinarySize(length) ? ordinaryBytes : 0)];
    }

    /** Takes back an array that was taken. */
    void giveBack(byte[] array) {
        if (array.length <= SMALL_ARRAY_BYTES || !isOfOrdinarySize(array.length)) {
            return;
        }
        synchronized (this) {
            if (idleBytes + array.length <= MOST_IDLE_BYTES) {
                idleBytes += array.length;
                idleArrays.addLast(array);
            }
        }
    }

    /** Whether a group of this size is as the options want it; one record can make it much larger. */
    boolean isOfOrdinarySize(long bytes) {
        return bytes <= (long) LARGEST_IDLE_GROUPS * options.groupBytes();
    }
}
