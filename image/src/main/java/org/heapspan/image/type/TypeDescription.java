package org.heapspan.image.type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/**
 * What an image says about a class: enough to read its objects where the reader's class is the same, to map fields by name where
 * it differs, and to say clearly what does not fit.
 *
 * <pre>
 * description = bytes:u16 kind:u8 name names levels        bytes: of what follows
 * names       = count name*                                constants of an enum, interfaces of a proxy
 * levels      = count (className flags:u8 fieldCount (code:u8 fieldName)*)*
 * </pre>
 *
 * <p>Levels are the classes of the hierarchy that hold fields or hooks, topmost first; fields are in order of their names.
 *
 * @param kind how objects of the class are written
 * @param name binary name as {@link Class#getName()} gives it
 * @param names constants of an enum in the order of their ordinals, or interfaces of a proxy
 * @param levels classes of the hierarchy that hold fields or hooks, topmost first
 */
public record TypeDescription(Kind kind, String name, List<String> names, List<Level> levels) {
    public enum Kind {
        /** Field by field; see {@link FieldBlock}. */
        FIELDS(0),
        /** The ordinal of a constant. */
        ENUM(1),
        /** A length and reference slots. */
        OBJECT_ARRAY(2),
        /** The invocation handler. */
        PROXY(3),
        /** Java's serialization protocol: levels with fields and what {@code writeObject} wrote. */
        HOOKS(4),
        /** What {@code writeExternal} wrote. */
        EXTERNAL(5),
        /** A collection's elements, in their order. */
        SEQUENCE(6),
        /** A map's keys and values. */
        MAPPING(7),
        /** What another object gives; see {@link Derivation}. */
        DERIVED(8);

        private static final Kind[] VALUES = values();

        /** The kind's number in an image; constants stand in its order. */
        final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /**
     * A class of the hierarchy.
     *
     * @param className binary name
     * @param flags {@link #HAS_WRITE_OBJECT} or 0
     * @param fields fields in order of their names
     */
    public record Level(String className, int flags, List<Field> fields) {
        /** The level's part was written by its {@code writeObject} method. */
        public static final int HAS_WRITE_OBJECT = 1;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Level level
                    && className.equals(level.className)
                    && flags == level.flags
                    && fields.equals(level.fields);
        }

        @Override
        public int hashCode() {
            return className.hashCode() * 31 + fields.hashCode();
        }
    }

    /**
     * A field.
     *
     * @param code the descriptor's first letter for primitive types, {@link #STRING} or {@link #REFERENCE} for others
     */
    public record Field(char code, String name) {
        public static final char STRING = 'T';
        public static final char REFERENCE = 'L';

        static final Comparator<Field> BY_NAME = new Comparator<>() {
            @Override
            public int compare(Field a, Field b) {
                return a.name.compareTo(b.name);
            }
        };

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Field field && code == field.code && name.equals(field.name);
        }

        @Override
        public int hashCode() {
            return name.hashCode() * 31 + code;
        }

        public static char codeOf(Class<?> type) {
            return type.isPrimitive() ? type.descriptorString().charAt(0) : type == String.class ? STRING : REFERENCE;
        }

        public String typeName() {
            return switch (code) {
                case 'Z' -> "boolean";
                case 'B' -> "byte";
                case 'S' -> "short";
                case 'C' -> "char";
                case 'I' -> "int";
                case 'J' -> "long";
                case 'F' -> "float";
                case 'D' -> "double";
                case STRING -> "java.lang.String";
                default -> "a reference";
            };
        }
    }

    // Written by hand, here and above: what the JVM makes up for records takes a tenth of a second before its first
    // use.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TypeDescription description
                && kind == description.kind
                && name.equals(description.name)
                && names.equals(description.names)
                && levels.equals(description.levels);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + levels.hashCode();
    }

    /** A stable 64-bit hash of everything in the description (FNV-1a): equal layouts have equal fingerprints. */
    public long fingerprint() {
        long hash = 0xcbf29ce484222325L;
        for (byte b : encode()) {
            hash = (hash ^ b & 0xFF) * 0x100000001b3L;
        }
        return hash;
    }

    public byte[] encode() {
        Encoder encoder = new Encoder();
        encoder.putByte(kind.code);
        encoder.putName(name);
        encoder.putNumber(names.size());
        for (String each : names) {
            encoder.putName(each);
        }
        encoder.putNumber(levels.size());
        for (Level level : levels) {
            encoder.putName(level.className);
            encoder.putByte(level.flags);
            encoder.putNumber(level.fields.size());
            for (Field field : level.fields) {
                encoder.putByte(field.code);
                encoder.putName(field.name);
            }
        }
        return encoder.finish(name);
    }

    /** How many bytes the description at an offset has, its length field included. */
    public static int sizeBytes(byte[] bytes, int offset, int limit) {
        if (limit - offset < LENGTH_BYTES) {
            throw malformed("a type description of " + (limit - offset) + " bytes");
        }
        int size = ((short) ImageFormat.SHORT.get(bytes, offset) & 0xFFFF) + LENGTH_BYTES;
        if (size > limit - offset) {
            throw malformed("a type description announces " + size + " bytes, " + (limit - offset) + " follow");
        }
        return size;
    }

    public static TypeDescription decode(byte[] bytes, int offset, int sizeBytes) {
        Decoder decoder = new Decoder(bytes, offset + LENGTH_BYTES, offset + sizeBytes);
        int kind = decoder.getByte();
        if (kind < 0 || kind >= Kind.VALUES.length) {
            throw malformed("a type description has kind " + kind + ", expected 0 to " + (Kind.VALUES.length - 1));
        }
        String name = decoder.getName();
        int nameCount = decoder.getCount();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nameCount; i++) {
            names.add(decoder.getName());
        }
        int levelCount = decoder.getCount();
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i < levelCount; i++) {
            levels.add(decodeLevel(decoder));
        }
        if (decoder.position != decoder.limit) {
            throw malformed(
                    "the description of " + name + " has " + (decoder.limit - decoder.position) + " bytes too many");
        }
        return new TypeDescription(Kind.VALUES[kind], name, List.copyOf(names), List.copyOf(levels));
    }

    private static Level decodeLevel(Decoder decoder) {
        String className = decoder.getName();
        int flags = decoder.getByte();
        int fieldCount = decoder.getCount();
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < fieldCount; i++) {
            char code = (char) decoder.getByte();
            if ("ZBSCIJFDTL".indexOf(code) < 0) {
                throw malformed("a field of " + className + " has type code " + (int) code);
            }
            fields.add(new Field(code, decoder.getName()));
        }
        return new Level(className, flags, List.copyOf(fields));
    }

    /** Reads a small number at {@code position[0]} and moves it behind. */
    public static int count(byte[] bytes, int[] position, int limit) {
        Decoder decoder = new Decoder(bytes, position[0], limit);
        int value = decoder.getCount();
        position[0] = decoder.position;
        return value;
    }

    /** Reads a name at {@code position[0]} and moves it behind. */
    public static String name(byte[] bytes, int[] position, int limit) {
        Decoder decoder = new Decoder(bytes, position[0], limit);
        String name = decoder.getName();
        position[0] = decoder.position;
        return name;
    }

    private static HeapspanException malformed(String what) {
        return new HeapspanException(Category.MALFORMED, "the image is malformed in its type descriptions: " + what);
    }

    private static final int LENGTH_BYTES = 2;

    private static final class Encoder {
        private byte[] bytes = new byte[256];
        private int position = LENGTH_BYTES;

        private void room(int sizeBytes) {
            if (bytes.length - position < sizeBytes) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2 + sizeBytes);
            }
        }

        void putByte(int value) {
            room(1);
            bytes[position++] = (byte) value;
        }

        void putNumber(int value) {
            room(ImageFormat.NUMBER_LIMIT_BYTES);
            position = ImageFormat.putNumber(bytes, position, value);
        }

        void putName(String name) {
            byte[] utf8 = name.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            putNumber(utf8.length);
            room(utf8.length);
            System.arraycopy(utf8, 0, bytes, position, utf8.length);
            position += utf8.length;
        }

        byte[] finish(String name) {
            int size = position - LENGTH_BYTES;
            if (size > 0xFFFF) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "the description of class " + name + " has " + size + " bytes, the format's limit is " + 0xFFFF
                                + "; split the class");
            }
            ImageFormat.SHORT.set(bytes, 0, (short) size);
            return Arrays.copyOf(bytes, position);
        }
    }

    private static final class Decoder {
        private final byte[] bytes;
        private final int limit;
        private int position;

        Decoder(byte[] bytes, int position, int limit) {
            this.bytes = bytes;
            this.position = position;
            this.limit = limit;
        }

        int getByte() {
            if (position >= limit) {
                throw malformed("a description ends early");
            }
            return bytes[position++];
        }

        int getCount() {
            int first = getByte() & 0xFF;
            int sizeBytes = Integer.numberOfTrailingZeros(first | 0x100) + 1;
            if (sizeBytes > 3 || position + sizeBytes - 1 > limit) {
                throw malformed("a description has a count of " + sizeBytes + " bytes");
            }
            int value = first;
            for (int i = 1; i < sizeBytes; i++) {
                value |= (getByte() & 0xFF) << 8 * i;
            }
            return value >>> sizeBytes;
        }

        String getName() {
            int length = getCount();
            if (length > limit - position) {
                throw malformed("a name of " + length + " bytes is announced, " + (limit - position) + " follow");
            }
            String name = new String(bytes, position, length, java.nio.charset.StandardCharsets.UTF_8);
            position += length;
            return name;
        }
    }
}
