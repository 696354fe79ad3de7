package org.heapspan.spark;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes records for all serializers of this JVM that have the same options and the same class loader. Spark makes a
 * serializer for each shuffle of each task and an instance for each block: those must cost nothing, so what is worth keeping is here.
 *
 * <p>Thread-safe.
 */
final class RecordEngine {
    private static final int MOST_IDLE_WRITERS = 2 * Runtime.getRuntime().availableProcessors();
    /** A writer keeps the memory of its largest group. */
    private static final int LARGEST_IDLE_GROUPS = 4;

    /** Engines refer to their loaders: they are held by those who use them, so that loaders of ended sessions go. */
    private static final Map<ClassLoader, Map<SerializerOptions, WeakReference<RecordEngine>>> ENGINES =
            new WeakHashMap<>();

    final SerializerOptions options;
    private final ClassLoader loader;
    private final Heapspan heapspan;
    private final ArrayBlockingQueue<GroupWriter> idleWriters = new ArrayBlockingQueue<>(MOST_IDLE_WRITERS);

    private RecordEngine(SerializerOptions options, ClassLoader loader) {
        this.options = options;
        this.loader = loader;
        heapspan = options.heapspan(loader);
    }

    /**
     * Finds or makes an engine.
     *
     * @param loader where classes are found; null for the loader of Heapspan
     */
    static RecordEngine of(SerializerOptions options, @Nullable ClassLoader loader) {
        ClassLoader known = loader != null ? loader : RecordEngine.class.getClassLoader();
        synchronized (ENGINES) {
            Map<SerializerOptions, WeakReference<RecordEngine>> ofLoader =
                    ENGINES.computeIfAbsent(known, any -> new HashMap<>());
            WeakReference<RecordEngine> reference = ofLoader.get(options);
            RecordEngine engine = reference == null ? null : reference.get();
            if (engine == null) {
                engine = new RecordEngine(options, known);
                ofLoader.put(options, new WeakReference<>(engine));
            }
            return engine;
        }
    }

    /** Whether it is the one for a loader. */
    boolean isFor(@Nullable ClassLoader other) {
        return loader == other;
    }

    byte[] encode(@Nullable Object value) {
        return heapspan.encode(value, options.encoding());
    }

    @Nullable
    Object decode(byte[] image) {
        // Blocks of one application, as trusted as its classes: Spark itself reads them by Java serialization.
        return heapspan.decodeTrusted(image, Object.class);
    }

    GroupReader read(byte[] group) {
        return heapspan.trustedGroupReader(group);
    }

    /** A writer without records, for one thread. */
    GroupWriter takeWriter() {
        GroupWriter idle = idleWriters.poll();
        return idle != null ? idle : heapspan.groupWriter(options.encoding());
    }

    /**
     * Takes back a writer without records.
     *
     * @param largestGroupBytes of the groups that were written with it
     */
    void giveBack(GroupWriter writer, long largestGroupBytes) {
        if (largestGroupBytes <= (long) LARGEST_IDLE_GROUPS * options.groupBytes()) {
            idleWriters.offer(writer);
        }
    }
}
