package org.heapspan.image;

import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Field;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.testing.TestImages;

/**
 * The beginning of an object as a hostile image may have it: up to the place of its first element, with any number of elements
 * announced. What follows is taken for that element, so that beginnings nest by standing one after the other.
 */
record HostileStructure(String name, List<TypeDescription> types, Beginning beginning) {
    /** Writes the beginning of an object. */
    interface Beginning {
        /**
         * Writes.
         *
         * @param firstTag of the types that the structure describes
         * @param count of elements that it announces
         */
        void write(Body body, int firstTag, int count);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Bytes of a body. */
    static final class Body {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Body numbers(long... values) {
            bytes.writeBytes(TestImages.numbers(values));
            return this;
        }

        Body bytes(int... values) {
            for (int value : values) {
                bytes.write(value);
            }
            return this;
        }

        Body repeated(int value, int count) {
            byte[] all = new byte[count];
            Arrays.fill(all, (byte) value);
            bytes.writeBytes(all);
            return this;
        }

        /** An item of data: what a method wrote with {@code writeInt}. */
        Body ints(int... values) {
            bytes.write(ImageFormat.ITEM_DATA);
            numbers(4L * values.length);
            for (int value : values) {
                bytes.writeBytes(ByteBuffer.allocate(4).putInt(value).array());
            }
            return this;
        }

        /** An item of fields, after which come a float, if wanted, and an int. */
        Body fields(float number, int value) {
            bytes.write(ImageFormat.ITEM_FIELDS);
            // The int has all its four bytes.
            bytes.write(3);
            if (number != 0) {
                little(Float.floatToIntBits(number));
            }
            return little(value);
        }

        private Body little(int value) {
            return bytes(value, value >> 8, value >> 16, value >> 24);
        }

        int size() {
            return bytes.size();
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }

    /** An object with a reference. */
    static final class Holder implements Serializable {
        Object held;
    }

    /** A record with a reference. */
    record Pair(Object held, int number) implements Serializable {}

    /** An object that reads one object. */
    public static final class External implements Externalizable {
        Object held;

        /** Called by the reader. */
        public External() {}

        @Override
        public void writeExternal(ObjectOutput out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void readExternal(ObjectInput in) throws java.io.IOException, ClassNotFoundException {
            held = in.readObject();
        }
    }

    private static final float LEAST_LOAD = 0.25f;

    /** All that can be announced. */
    static List<HostileStructure> all() {
        List<HostileStructure> all = new ArrayList<>();
        // Elements of any kind, elements of a kind of which the first is another, keys and values in both ways.
        elements(all, "Object[]", 20);
        built(all, "String[]", (body, n) -> body.numbers(21, n, 3, 2));
        elements(all, "ArrayList", 24);
        entries(all, "HashMap", 25);
        entries(all, "LinkedHashMap", 26, 0);
        entries(all, "TreeMap", 27);
        elements(all, "HashSet", 28);
        elements(all, "LinkedHashSet", 29);
        built(all, "Optional", (body, n) -> body.numbers(30));
        built(all, "replaced", (body, n) -> body.numbers(ImageFormat.TAG_REPLACED));
        elements(all, "LinkedList", 46);
        elements(all, "ArrayDeque", 47);
        elements(all, "List.of", 49, 0);
        elements(all, "Set.of", 50);
        entries(all, "Map.of", 51);
        entries(all, "ConcurrentHashMap", 53);
        elements(all, "CopyOnWriteArrayList", 54);
        elements(all, "TreeSet", 57);
        built(all, "TreeMap with comparator", (body, n) -> body.numbers(58, 0, n, 0, 0));
        built(all, "TreeSet with comparator", (body, n) -> body.numbers(59, 0, n, 0));
        built(all, "PriorityQueue", (body, n) -> body.numbers(60, 0, n, 0));
        described(
                all,
                "Serializable[]",
                new TypeDescription(Kind.OBJECT_ARRAY, Serializable[].class.getName(), List.of(), List.of()),
                (body, tag, n) -> body.numbers(tag, n, 0));
        described(
                all,
                "EnumMap",
                new TypeDescription(Kind.ENUM, Character.UnicodeScript.class.getName(), List.of("LATIN"), List.of()),
                (body, tag, n) -> body.numbers(56, tag, tag).bytes(1).numbers(0));
        described(
                all,
                "object",
                new TypeDescription(
                        Kind.FIELDS,
                        Holder.class.getName(),
                        List.of(),
                        List.of(new Level(Holder.class.getName(), 0, List.of(new Field('L', "held"))))),
                (body, tag, n) -> body.numbers(tag));
        described(
                all,
                "record",
                new TypeDescription(
                        Kind.FIELDS,
                        Pair.class.getName(),
                        List.of(),
                        List.of(new Level(Pair.class.getName(), 0, List.of(new Field('L', "held"))))),
                (body, tag, n) -> body.numbers(tag));
        described(
                all,
                "Externalizable",
                new TypeDescription(Kind.EXTERNAL, External.class.getName(), List.of(), List.of()),
                (body, tag, n) -> body.numbers(tag).bytes(ImageFormat.ITEM_OBJECT));
        hooks(all, "java.util.ArrayDeque", List.of(), (body, n) -> body.ints(n));
        hooks(
                all,
                "java.util.ArrayList",
                List.of(new Field('I', "size")),
                (body, n) -> body.fields(0, n).ints(n));
        hooks(
                all,
                "java.util.HashMap",
                List.of(new Field('F', "loadFactor"), new Field('I', "threshold")),
                (body, n) -> body.fields(LEAST_LOAD, n).ints(n, n));
        hooks(all, "java.util.HashSet", List.of(), (body, n) -> body.ints(n, Float.floatToIntBits(LEAST_LOAD), n));
        hooks(
                all,
                "java.util.Hashtable",
                List.of(new Field('F', "loadFactor"), new Field('I', "threshold")),
                (body, n) -> body.fields(LEAST_LOAD, n).ints(8 * n, n));
        hooks(
                all,
                "java.util.IdentityHashMap",
                List.of(new Field('I', "size")),
                (body, n) -> body.fields(0, n).ints(n));
        hooks(
                all,
                "java.util.PriorityQueue",
                List.of(new Field('I', "size")),
                (body, n) -> body.fields(0, n).ints(n));
        hooks(all, "java.util.concurrent.CopyOnWriteArrayList", List.of(), (body, n) -> body.ints(n));
        hooks(
                all,
                "java.util.CollSer",
                List.of(new Field('I', "tag")),
                (body, n) -> body.fields(0, 1).ints(n));
        hooks(all, "java.util.LinkedList", List.of(), (body, n) -> body.ints(n));
        hooks(all, "java.util.TreeMap", List.of(), (body, n) -> body.ints(n));
        hooks(all, "java.util.concurrent.ConcurrentHashMap", List.of(), (body, n) -> body);
        hooks(all, "java.util.concurrent.ConcurrentLinkedQueue", List.of(), (body, n) -> body);
        return all;
    }

    /** Writes the beginning of an object of a type that images do not describe. */
    private interface BuiltIn {
        Body write(Body body, int count);
    }

    private static void built(List<HostileStructure> all, String name, BuiltIn beginning) {
        all.add(new HostileStructure(name, List.of(), (body, tag, n) -> beginning.write(body, n)));
    }

    private static void elements(List<HostileStructure> all, String name, int tag, int... shape) {
        built(all, name, (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 0));
        built(
                all,
                name + " behind a number",
                (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 8, 1, 0));
    }

    private static void entries(List<HostileStructure> all, String name, int tag, int... shape) {
        built(all, name + " as key", (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 0, 0));
        built(
                all,
                name + " as key of numbers",
                (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 8, 0, 0));
        built(all, name, (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 8, 0, 1));
        built(
                all,
                name + " behind an entry",
                (body, n) -> body.numbers(tag).bytes(shape).numbers(n, 8, 0, 1, 0, 2));
    }

    private static void described(List<HostileStructure> all, String name, TypeDescription type, Beginning beginning) {
        all.add(new HostileStructure(name, List.of(type), beginning));
    }

    /** An object of the JDK read by its own method; the first item behind what is written is an object. */
    private static void hooks(List<HostileStructure> all, String className, List<Field> fields, BuiltIn beginning) {
        Level level = new Level(className, Level.HAS_WRITE_OBJECT, fields);
        described(
                all,
                className + " by its method",
                new TypeDescription(Kind.HOOKS, className, List.of(), List.of(level)),
                (body, tag, n) -> beginning.write(body.numbers(tag), n).bytes(ImageFormat.ITEM_OBJECT));
    }

    /** The structure of a name. */
    static HostileStructure named(String name) {
        return all().stream()
                .filter(structure -> structure.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * An image of two structures in turn, one within the other, each with as many elements as a fourth of the bytes: keys and values
     * take two of them, and the first is to be believed.
     *
     * @param start what the body begins with
     * @param levels how often the two come
     */
    static byte[] nested(
            int flags, Body start, HostileStructure outer, HostileStructure inner, int levels, int sizeBytes) {
        int described = ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
        int count = sizeBytes / 4;
        Body body = start;
        for (int level = 0; level < levels; level++) {
            outer.beginning().write(body, described, count);
            inner.beginning().write(body, described + outer.types().size(), count);
        }
        body.repeated(NULL_REFERENCE, Math.max(sizeBytes - body.size(), 0));
        return TestImages.image(flags, describe(outer, inner), body.toByteArray());
    }

    /** What stands for the elements that never begin. */
    private static final int NULL_REFERENCE = 1;

    /** The descriptions of the types of some structures, one after the other. */
    static byte[] describe(HostileStructure... structures) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (HostileStructure structure : structures) {
            structure.types.forEach(type -> bytes.writeBytes(type.encode()));
        }
        return bytes.toByteArray();
    }
}
