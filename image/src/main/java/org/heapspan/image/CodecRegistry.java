package org.heapspan.image;

import java.lang.ref.WeakReference;
import java.util.EnumMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.heapspan.Mode;
import org.heapspan.ObjectLinks;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of one mode, by class. A codec is made at first sight of its class by {@link ClassPolicy} and lives as long as the
 * class: the registry holds neither classes nor their loaders alive.
 *
 * <p>Thread-safe.
 */
final class CodecRegistry {
    private static final CodecRegistry SERIAL = new CodecRegistry(Mode.SERIAL, Map.of(), null);
    private static final CodecRegistry CLONE = new CodecRegistry(Mode.CLONE, Map.of(), null);

    /** Guarded by itself. */
    private static final Map<ObjectLinks, Map<Mode, WeakReference<CodecRegistry>>> LINKING = new WeakHashMap<>();

    final Mode mode;
    final Map<java.lang.reflect.Field, FieldUpdate> updates;

    /** What knows the objects that images refer to and do not hold; null if there are none. */
    final @Nullable ObjectLinks links;

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
        final ConcurrentHashMap<RawClassResolver.Version, RawClass> copied = new ConcurrentHashMap<>(0);
    }

    private CodecRegistry(Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates, @Nullable ObjectLinks links) {
        this.mode = mode;
        this.updates = updates;
        this.links = links;
    }

    /** Codecs that know no links; as {@link #of(Mode, Map, ObjectLinks)}. */
    static CodecRegistry of(Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates) {
        return of(mode, updates, null);
    }

    /** Codecs of a mode: shared by all who have neither updates nor links. */
    static CodecRegistry of(Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates, @Nullable ObjectLinks links) {
        if (!updates.isEmpty()) {
            return new CodecRegistry(mode, Map.copyOf(updates), links);
        }
        if (links != null) {
            return ofLinks(mode, links);
        }
        return mode == Mode.CLONE ? CLONE : SERIAL;
    }

    /** One for all who have the same links: what a class keeps of a registry lives as long as the class. */
    private static CodecRegistry ofLinks(Mode mode, ObjectLinks links) {
        synchronized (LINKING) {
            Map<Mode, WeakReference<CodecRegistry>> byMode =
                    LINKING.computeIfAbsent(links, unused -> new EnumMap<>(Mode.class));
            WeakReference<CodecRegistry> reference = byMode.get(mode);
            CodecRegistry known = reference == null ? null : reference.get();
            if (known == null) {
                known = new CodecRegistry(mode, Map.of(), links);
                byMode.put(mode, new WeakReference<>(known));
            }
            return known;
        }
    }

    /**
     * The codec for direct instances of a class.
     *
     * @throws org.heapspan.HeapspanException if the policy refuses the class
     */
    Codec codecOf(Class<?> type) {
        Codec codec = codecs.get(type).local;
        return codec != null ? codec : make(type);
    }

    private Codec make(Class<?> type) {
        Codec builtIn = BuiltInTypes.codecOf(type);
        if (builtIn != null) {
            codecs.get(type).local = builtIn;
            return builtIn;
        }
        Codec made = LinkedInstanceCodec.over(ClassPolicy.codecFor(this, type), this);
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
    Codec hookForm(Class<?> type) {
        Codecs entry = codecs.get(type);
        synchronized (entry) {
            Codec form = entry.hookForm;
            if (form == null) {
                form = registered(ClassPolicy.hookCodec(this, type, ClassPolicy.hookDescription(type)));
                entry.hookForm = form;
            }
            return form;
        }
    }

    /** Gives a number to a codec that is not the first choice for its class. */
    Codec registered(Codec codec) {
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
    Codec evolved(Class<?> type, TypeDescription written) {
        ConcurrentHashMap<TypeDescription, Codec> known = codecs.get(type).evolved;
        Codec codec = known.get(written);
        if (codec != null) {
            return codec;
        }
        Codec made = ClassPolicy.evolvedCodec(this, type, written);
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

    /** What reads copies of objects of a class as a version of it lies in the writer's heap. */
    RawClass rawClass(Class<?> type, RawClassResolver.Version version, Supplier<RawClass> maker) {
        ConcurrentHashMap<RawClassResolver.Version, RawClass> known = codecs.get(type).copied;
        RawClass found = known.get(version);
        if (found != null) {
            return found;
        }
        RawClass made = maker.get();
        if (known.size() < MOST_EVOLVED) {
            known.put(version, made);
        }
        return made;
    }
}
