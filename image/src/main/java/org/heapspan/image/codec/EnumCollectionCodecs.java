package org.heapspan.image.codec;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * Codecs of {@code EnumSet} and {@code EnumMap}. Which constants they hold is a set of bits, one for each name in the description of
 * the enum, so that the reader's constants are found by name as everywhere.
 *
 * <p>Codecs of enums are asked for by the enum itself, also for constants with bodies of their own.
 */
final class EnumCollectionCodecs {
    private EnumCollectionCodecs() {}

    private static EnumCodec codecOf(ImageWriter writer, Class<?> enumClass) {
        return (EnumCodec) writer.registry.codecOf(enumClass);
    }

    private static EnumCodec readEnum(ImageReader reader) {
        if (ElementsForm.readKind(reader) instanceof EnumCodec codec && codec.type.isEnum()) {
            return codec;
        }
        throw reader.malformed("an EnumSet or EnumMap is of a class that is no enum");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Class<? extends Enum> enumClass(EnumCodec codec) {
        return (Class<? extends Enum>) codec.type;
    }

    /** The constants of the wanted numbers, in bytes from the low end. */
    private static byte[] bits(EnumCodec codec, Object[] constants, int count) {
        byte[] bits = new byte[codec.constantCount() + 7 >> 3];
        for (int i = 0; i < count; i++) {
            int number = (int) codec.numberOf(constants[i]);
            bits[number >> 3] |= (byte) (1 << (number & 7));
        }
        return bits;
    }

    private static Object[] readConstants(ImageReader reader, EnumCodec codec) {
        byte[] bits = new byte[codec.constantCount() + 7 >> 3];
        reader.readBytes(bits, 0, bits.length);
        Object[] constants = new Object[codec.constantCount()];
        int count = 0;
        for (int number = 0; number < 8 * bits.length; number++) {
            if ((bits[number >> 3] >> (number & 7) & 1) != 0) {
                constants[count++] = codec.valueOf(reader, number);
            }
        }
        reader.checkLength(count);
        return Arrays.copyOf(constants, count);
    }

    static final class OfEnumSet extends LeafCodec {
        private static final long ELEMENT_TYPE_OFFSET = Access.offsetOf(EnumSet.class, "elementType", Class.class);

        OfEnumSet(int tag) {
            super(classes().get(0), null, tag, TRACKED);
        }

        /** The JDK's classes for few and for many constants. */
        static List<Class<?>> classes() {
            try {
                return List.of(Class.forName("java.util.RegularEnumSet"), Class.forName("java.util.JumboEnumSet"));
            } catch (ClassNotFoundException otherJdk) {
                // They travel by their own serialization then.
                return List.of(EnumSet.class);
            }
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            EnumSet<?> set = (EnumSet<?>) object;
            Object[] constants = set.toArray();
            Class<?> enumClass = enumClassOf(set, constants);
            EnumCodec codec = codecOf(writer, enumClass);
            ElementsForm.writeKind(writer, codec);
            byte[] bits = bits(codec, constants, constants.length);
            writer.writeBytes(bits, 0, bits.length);
        }

        private static Class<?> enumClassOf(EnumSet<?> set, Object[] constants) {
            Object[] some =
                    constants.length > 0 ? constants : EnumSet.complementOf(set).toArray();
            if (some.length > 0) {
                return ((Enum<?>) some[0]).getDeclaringClass();
            }
            Object enumClass = ELEMENT_TYPE_OFFSET < 0 ? null : Access.raw().getReference(set, ELEMENT_TYPE_OFFSET);
            if (enumClass instanceof Class<?> known) {
                return known;
            }
            throw new HeapspanException(
                    Category.ACCESS,
                    "an EnumSet of an enum without constants does not show its enum under " + Access.MACHINE.means()
                            + "; let the native library load (see heapspan doctor)");
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public Object readValue(ImageReader reader) {
            EnumCodec codec = readEnum(reader);
            EnumSet set = EnumSet.noneOf(enumClass(codec));
            Collections.addAll(set, readConstants(reader, codec));
            return set;
        }
    }

    static final class OfEnumMap extends Codec {
        private static final int SLOT_BYTES = 4;

        private static final long KEY_TYPE_OFFSET = Access.offsetOf(EnumMap.class, "keyType", Class.class);

        OfEnumMap(int tag) {
            super(EnumMap.class, null, tag, TRACKED | DEFERRABLE | SURE | (KEY_TYPE_OFFSET < 0 ? VARIES : 0));
        }

        /** Without raw access an empty map does not tell its enum; its own serialization does. */
        @Override
        public Codec variant(ImageWriter writer, Object object) {
            return KEY_TYPE_OFFSET < 0 && ((EnumMap<?, ?>) object).isEmpty()
                    ? writer.registry.hookForm(EnumMap.class)
                    : this;
        }

        private static EnumCodec codecOfKeys(ImageWriter writer, EnumMap<?, ?> map) {
            Class<?> enumClass = KEY_TYPE_OFFSET >= 0
                    ? (Class<?>) Access.raw().getReference(map, KEY_TYPE_OFFSET)
                    : map.keySet().iterator().next().getDeclaringClass();
            return codecOf(writer, enumClass == null ? Enum.class : enumClass);
        }

        @Override
        public void writeShape(ImageWriter writer, Object object) {
            ElementsForm.writeKind(writer, codecOfKeys(writer, (EnumMap<?, ?>) object));
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            EnumMap<?, ?> map = (EnumMap<?, ?>) object;
            EnumCodec codec = codecOfKeys(writer, map);
            ElementsForm.writeKind(writer, codec);
            Object[] keys = new Object[codec.constantCount()];
            @Nullable Object[] values = new Object[codec.constantCount()];
            int count = 0;
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                keys[count] = entry.getKey();
                values[count++] = entry.getValue();
            }
            byte[] bits = bits(codec, keys, count);
            writer.writeBytes(bits, 0, bits.length);
            ElementsForm.write(writer, values, writer.opaque(values), count, hint == null ? null : hint.second());
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public Object allocate(ImageReader reader) {
            EnumCodec codec = readEnum(reader);
            // A slot for each constant here; those that the writer had are a bit each in the image.
            reader.takeMemory((long) codec.localCount() * SLOT_BYTES / 2);
            return new EnumMap(enumClass(codec));
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            EnumCodec codec = readEnum(reader);
            Object[] keys = readConstants(reader, codec);
            reader.claim(keys.length);
            @Nullable Object[] values = new Object[keys.length];
            ElementsForm.read(reader, values, values.length, hint == null ? null : hint.second());
            EnumMap map = (EnumMap) object;
            try {
                for (int i = 0; i < keys.length; i++) {
                    map.put((Enum) keys[i], values[i]);
                }
            } catch (ClassCastException e) {
                throw reader.malformed("an EnumMap has keys of two enums: " + e.getMessage());
            }
        }
    }
}
