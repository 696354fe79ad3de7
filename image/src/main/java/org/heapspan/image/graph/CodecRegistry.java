package org.heapspan.image.graph;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.heapspan.FieldUpdate;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.ObjectLinks;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.SerialNumbers;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of one mode, by class. A codec is created when its class is first used, and lives as long as the class. The registry does not
 * prevent the unloading of classes and their loaders.
 *
 * <p>Thread-safe.
 */
public abstract class CodecRegistry {
    public final Mode mode;
    public final Map<java.lang.reflect.Field, FieldUpdate> updates;

    /** What knows the objects that images refer to and do not hold; null if there are none. */
    public final @Nullable ObjectLinks links;

    /** How many foreign versions of a class are remembered: hostile images could describe ever new ones. */
    private static final int MOST_EVOLVED = 64;

    /** How many bytes those of all classes have in images; what is made of them takes some fifty times as much. */
    private static final long MOST_EVOLVED_BYTES = 512 << 10;

    private final AtomicLong evolvedBytes = new AtomicLong();

    private static final AtomicLong NEXT_STAMP = new AtomicLong();

    private final SerialNumbers serials = new SerialNumbers();
    private final ClassValue<Codecs> codecs = new ClassValue<>() {
        @Override
        protected Codecs computeValue(Class<?> type) {
            return new Codecs();
        }
    };

    /** What is known of one class. */
    private static final class Codecs {
        volatile @Nullable Codec local;

        @Nullable
        Codec hookForm;
        /** By the writer's description of the class, where it differs from ours. */
        final ConcurrentHashMap<TypeDescription, Codec> evolved = new ConcurrentHashMap<>(0);
        /** By how the writer's JVM lays it out. */
        final ConcurrentHashMap<Object, Object> copied = new ConcurrentHashMap<>(0);
    }

    public CodecRegistry(Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates, @Nullable ObjectLinks links) {
        this.mode = mode;
        this.updates = updates;
        this.links = links;
    }

    /** The codec of exactly this class if the format knows the class, else null. */
    public abstract @Nullable Codec builtIn(Class<?> type);

    /** The codec of a tag below {@link ImageFormat#TAG_FIRST_DESCRIBED_TYPE}, or null if the format has no such type. */
    public abstract @Nullable Codec builtIn(int tag);

    /**
     * Makes the codec of a class that the format does not know.
     *
     * @throws org.heapspan.HeapspanException if the policy refuses the class
     */
    public abstract Codec make(Class<?> type);

    /** Makes the codec that writes a class by its own serialization methods. */
    public abstract Codec makeHookForm(Class<?> type);

    /** Makes the codec that reads what another version of a class has written. */
    public abstract Codec makeEvolved(Class<?> type, TypeDescription written);

    /** What passes over the objects of a class that is not here. */
    public abstract Codec missing(TypeDescription written, HeapspanException why);

    /**
     * The codec for direct instances of a class.
     *
     * @throws org.heapspan.HeapspanException if the policy refuses the class
     */
    public Codec codecOf(Class<?> type) {
        Codec codec = codecs.get(type).local;
        return codec != null ? codec : firstOf(type);
    }

    private Codec firstOf(Class<?> type) {
        Codec builtIn = builtIn(type);
        if (builtIn != null) {
            codecs.get(type).local = builtIn;
            return builtIn;
        }
        Codec made = make(type);
        Codecs entry = codecs.get(type);
        synchronized (entry) {
            Codec first = entry.local;
            if (first != null) {
                return first;
            }
            entry.local = registered(made);
            return made;
        }
    }

    /**
     * The codec that writes a class of the JDK by its own serialization methods, for objects that its built-in form does not
     * suit.
     */
    public Codec hookForm(Class<?> type) {
        Codecs entry = codecs.get(type);
        synchronized (entry) {
            Codec form = entry.hookForm;
            if (form == null) {
                form = registered(makeHookForm(type));
                entry.hookForm = form;
            }
            return form;
        }
    }

    /** Gives a number to a codec that is not the first choice for its class. */
    public Codec registered(Codec codec) {
        if (codec.serial < 0) {
            synchronized (codec) {
                if (codec.serial < 0) {
                    codec.stamp = NEXT_STAMP.getAndIncrement();
                    codec.serial = serials.give(codec);
                }
            }
        }
        return codec;
    }

    /** The codec that reads what another one of this registry writes. */
    Codec readerOf(Codec writing) {
        Codec reader = writing.reader;
        if (reader == null) {
            TypeDescription description = writing.description;
            reader = description == null ? writing : evolved(writing.type, description);
            writing.reader = reader;
        }
        return reader;
    }

    /** The codec that reads what a writer with another version of the class has written. */
    public Codec evolved(Class<?> type, TypeDescription written) {
        ConcurrentHashMap<TypeDescription, Codec> known = codecs.get(type).evolved;
        Codec codec = known.get(written);
        if (codec != null) {
            return codec;
        }
        Codec made = makeEvolved(type, written);
        // Our own version costs nothing more.
        int sizeBytes = made == codecs.get(type).local ? 0 : written.encode().length;
        if (known.size() >= MOST_EVOLVED || evolvedBytes.get() + sizeBytes > MOST_EVOLVED_BYTES) {
            return made;
        }
        Codec first = known.putIfAbsent(written, made);
        if (first != null) {
            return first;
        }
        evolvedBytes.addAndGet(sizeBytes);
        return made;
    }

    /**
     * What reads copies of objects of a class as a version of it lies in the writer's heap.
     *
     * @param version a value that tells the versions of the class apart
     * @param maker makes it at first sight of the version; always of the same type
     */
    @SuppressWarnings("unchecked") // All who ask have values of one type.
    public <T> T copied(Class<?> type, Object version, Supplier<T> maker) {
        ConcurrentHashMap<Object, Object> known = codecs.get(type).copied;
        Object found = known.get(version);
        if (found != null) {
            return (T) found;
        }
        T made = maker.get();
        if (known.size() < MOST_EVOLVED) {
            known.put(version, made);
        }
        return made;
    }
}
