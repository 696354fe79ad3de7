package org.heapspan.image.generator;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.HeapspanException;
import org.heapspan.image.codec.ReplacingCodec;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.KnownCodec;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/** Which class to expect behind a declared type, so that the codec for it can be inlined behind one comparison. */
final class Expectation {
    private Expectation() {}

    /** Codecs of nothing: its class has no instances, so that it never matches. */
    private static final Codec NOTHING = new ReplacingCodec.Reading(ImageFormat.TAG_REPLACED);

    static boolean exists(Class<?> declared) {
        return likely(declared) != null;
    }

    private static @Nullable Class<?> likely(Class<?> declared) {
        if (declared == List.class || declared == Collection.class || declared == Iterable.class) {
            return ArrayList.class;
        }
        if (declared == Map.class) {
            return HashMap.class;
        }
        if (declared == Set.class) {
            return HashSet.class;
        }
        boolean hasInstances = declared != Object.class
                && declared != Class.class
                && (declared.isArray() || !Modifier.isAbstract(declared.getModifiers()));
        return hasInstances ? declared : null;
    }

    /** The codec of the likely class, or one that never matches if its class cannot be copied. */
    static Codec codecFor(CodecRegistry registry, Class<?> declared) {
        Class<?> likely = likely(declared);
        if (likely == null) {
            return NOTHING;
        }
        try {
            return registry.codecOf(likely);
        } catch (HeapspanException | LinkageError refused) {
            // The field may be null in every object; it is refused if it is not. So may its class, if it cannot be
            // initialized.
            return NOTHING;
        }
    }

    /**
     * The codec of the likely class if the declared type can hold whatever it reads, so that nobody need compare; else one that never
     * matches, and the object is read as any other and compared with the declared type.
     */
    static Codec sureCodecFor(CodecRegistry registry, Class<?> declared) {
        Codec codec = codecFor(registry, declared);
        return codec.has(Codec.SURE) && declared.isAssignableFrom(codec.type) ? codec : NOTHING;
    }

    static TypeHint hintFor(CodecRegistry registry, Type declared) {
        if (declared instanceof Class<?> type) {
            TypeHint elements = type.isArray() ? hintFor(registry, type.getComponentType()) : null;
            return new TypeHint(codecOrNull(registry, type), elements, null);
        }
        if (declared instanceof ParameterizedType parameterized) {
            Type[] arguments = parameterized.getActualTypeArguments();
            return new TypeHint(
                    codecOrNull(registry, (Class<?>) parameterized.getRawType()),
                    arguments.length > 0 ? hintFor(registry, arguments[0]) : null,
                    arguments.length > 1 ? hintFor(registry, arguments[1]) : null);
        }
        if (declared instanceof GenericArrayType array) {
            return new TypeHint(null, hintFor(registry, array.getGenericComponentType()), null);
        }
        if (declared instanceof WildcardType wildcard) {
            return hintFor(registry, wildcard.getUpperBounds()[0]);
        }
        return new TypeHint(null, null, null);
    }

    private static @Nullable KnownCodec codecOrNull(CodecRegistry registry, Class<?> type) {
        if (type.isPrimitive()) {
            return null;
        }
        Codec codec = codecFor(registry, type);
        return codec == NOTHING ? null : KnownCodec.of(codec);
    }
}
