package org.heapspan.image.policy;

import java.lang.ref.WeakReference;
import java.util.EnumMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.heapspan.FieldUpdate;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.ObjectLinks;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.LinkedInstanceCodec;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.serialization.MissingClassCodec;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Codecs as {@link ClassPolicy} chooses them. Thread-safe. */
public final class PolicyCodecRegistry extends CodecRegistry {
    private static final CodecRegistry SERIAL = new PolicyCodecRegistry(Mode.SERIAL, Map.of(), null);
    private static final CodecRegistry CLONE = new PolicyCodecRegistry(Mode.CLONE, Map.of(), null);

    /** Guarded by itself. */
    private static final Map<ObjectLinks, Map<Mode, WeakReference<CodecRegistry>>> LINKING = new WeakHashMap<>();

    private PolicyCodecRegistry(
            Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates, @Nullable ObjectLinks links) {
        super(mode, updates, links);
    }

    /** Codecs that know no links; as {@link #of(Mode, Map, ObjectLinks)}. */
    public static CodecRegistry of(Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates) {
        return of(mode, updates, null);
    }

    /** Codecs of a mode: shared by all who have neither updates nor links. */
    public static CodecRegistry of(
            Mode mode, Map<java.lang.reflect.Field, FieldUpdate> updates, @Nullable ObjectLinks links) {
        if (!updates.isEmpty()) {
            return new PolicyCodecRegistry(mode, Map.copyOf(updates), links);
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
                known = new PolicyCodecRegistry(mode, Map.of(), links);
                byMode.put(mode, new WeakReference<>(known));
            }
            return known;
        }
    }

    @Override
    @Nullable
    public Codec builtIn(Class<?> type) {
        return BuiltInTypes.codecOf(type);
    }

    @Override
    @Nullable
    public Codec builtIn(int tag) {
        return BuiltInTypes.codec(tag);
    }

    @Override
    public Codec make(Class<?> type) {
        return LinkedInstanceCodec.over(ClassPolicy.codecFor(this, type), this);
    }

    @Override
    public Codec makeHookForm(Class<?> type) {
        return ClassPolicy.hookCodec(this, type, ClassFields.hookDescription(type));
    }

    @Override
    public Codec makeEvolved(Class<?> type, TypeDescription written) {
        return ClassPolicy.evolvedCodec(this, type, written);
    }

    @Override
    public Codec missing(TypeDescription written, HeapspanException why) {
        return new MissingClassCodec(written, why);
    }
}
