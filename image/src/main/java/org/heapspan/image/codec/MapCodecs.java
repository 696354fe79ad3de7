package org.heapspan.image.codec;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.IdentityWriter;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.PostponedContainers;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Codecs of the maps that carry most of the world's data: their entries, not their insides. */
final class MapCodecs {
    private MapCodecs() {}

    /** Where an entry of a class keeps its key and value, for reading their bits; -1 without raw memory. */
    private static long entryOffset(Class<?> mapType, String entryName, String field) {
        try {
            return Access.offsetOf(Class.forName(mapType.getName() + "$" + entryName), field, Object.class);
        } catch (ClassNotFoundException otherJdk) {
            return -1;
        }
    }

    // Not final: the JIT must not know that references lie there (see ElementsForm).
    private static long nodeKeyOffset = entryOffset(HashMap.class, "Node", "key");
    private static long nodeValueOffset = entryOffset(HashMap.class, "Node", "value");
    private static long treeKeyOffset = entryOffset(TreeMap.class, "Entry", "key");
    private static long treeValueOffset = entryOffset(TreeMap.class, "Entry", "value");

    private static final boolean ENTRIES_KNOWN =
            nodeKeyOffset >= 0 && nodeValueOffset >= 0 && treeKeyOffset >= 0 && treeValueOffset >= 0;

    /**
     * A size, the kinds of keys and values, then keys and values in turn, in the form of {@link ElementsForm}.
     *
     * <p>Where the record can be written again, entries are written as they are met, and a change of the map meanwhile makes the
     * record be written again; elsewhere they are gathered first.
     */
    abstract static class OfMap extends Codec implements PostponedContainers.Filler {
        OfMap(Class<?> type, int tag, int traits) {
            super(type, null, tag, traits | SURE);
        }

        abstract Map<@Nullable Object, @Nullable Object> make();

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            Map<?, ?> map = (Map<?, ?>) object;
            TypeHint keyHint = hint == null ? null : hint.first();
            TypeHint valueHint = hint == null ? null : hint.second();
            if (writer.wantsBits() && ENTRIES_KNOWN) {
                writeAsMet(writer, map, keyHint, valueHint);
            } else {
                writeGathered(writer, map, OfMap::pushAll, keyHint, valueHint);
            }
        }

        /** Writes the entries of a map whose entry class the subclass knows; see {@link #writeEntries}. */
        abstract void writeAsMet(
                ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint);

        static void writeEntries(
                ImageWriter writer,
                Map<?, ?> map,
                @Nullable TypeHint keyHint,
                @Nullable TypeHint valueHint,
                long keyOffset,
                long valueOffset) {
            int size = map.size();
            writer.writeNumber(size);
            if (size == 0) {
                return;
            }
            RawMemory raw = Access.raw();
            Codec keys = null;
            Codec values = null;
            int left = size;
            try {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    if (left == size) {
                        keys = ElementsForm.kindOf(writer, entry.getKey(), keyHint);
                        values = ElementsForm.kindOf(writer, entry.getValue(), valueHint);
                        ElementsForm.writeKind(writer, keys);
                        ElementsForm.writeKind(writer, values);
                    } else if (left == 0) {
                        throw writer.restart(IdentityWriter.Reason.CHANGED);
                    }
                    left--;
                    int keyBits = raw.getInt(entry, keyOffset);
                    Object key = entry.getKey();
                    // TreeMap.remove moves a key from one entry to another.
                    keyBits = raw.getInt(entry, keyOffset) == keyBits ? keyBits : 0;
                    ElementsForm.writeTyped(writer, key, keyBits, keys, keyHint);
                    int bits = raw.getInt(entry, valueOffset);
                    Object value = entry.getValue();
                    bits = raw.getInt(entry, valueOffset) == bits ? bits : 0;
                    ElementsForm.writeTyped(writer, value, bits, values, valueHint);
                }
            } catch (ConcurrentModificationException | NullPointerException | NoSuchElementException changed) {
                throw writer.restart(IdentityWriter.Reason.CHANGED);
            }
            if (left != 0) {
                throw writer.restart(IdentityWriter.Reason.CHANGED);
            }
        }

        /** Writes entries that are gathered first, key and value in turn. */
        static <C> void writeGathered(
                ImageWriter writer,
                C container,
                CollectionCodecs.Gatherer<C> gatherer,
                @Nullable TypeHint keyHint,
                @Nullable TypeHint valueHint) {
            int first = writer.waiting.count();
            CollectionCodecs.gather(writer, container, gatherer);
            int end = writer.waiting.count();
            writer.writeNumber(end - first >> 1);
            if (end == first) {
                return;
            }
            Codec keys = ElementsForm.kindOf(writer, writer.waiting.array()[first], keyHint);
            Codec values = ElementsForm.kindOf(writer, writer.waiting.array()[first + 1], valueHint);
            ElementsForm.writeKind(writer, keys);
            ElementsForm.writeKind(writer, values);
            for (int i = first; i < end; i += 2) {
                Object key = writer.waiting.array()[i];
                Object value = writer.waiting.array()[i + 1];
                ElementsForm.writeTyped(writer, key, writer.wantsBits() ? writer.bitsOf(key) : 0, keys, keyHint);
                ElementsForm.writeTyped(
                        writer, value, writer.wantsBits() ? writer.bitsOf(value) : 0, values, valueHint);
            }
            writer.waiting.cutTo(first);
        }

        static void pushAll(ImageWriter writer, Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                writer.waiting.push(entry.getKey());
                writer.waiting.push(entry.getValue());
            }
        }

        @Override
        public Object allocate(ImageReader reader) {
            return make();
        }

        /** Prepares for a number of entries. */
        void expect(Object map, int entries) {}

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int entries = reader.readArrayLength(Map.Entry[].class, 2);
            if (entries == 0) {
                return;
            }
            TypeHint keyHint = hint == null ? null : hint.first();
            TypeHint valueHint = hint == null ? null : hint.second();
            Codec keys = ElementsForm.readKind(reader);
            Codec values = ElementsForm.readKind(reader);
            if (keys != null && fillsAtOnce(keys)) {
                readComplete(reader, object, entries, keys, values, valueHint);
                return;
            }
            @Nullable Object[] pairs = new Object[2 * entries];
            readPairs(reader, pairs, 0, keys, keyHint, values, valueHint);
            reader.postpone(this, object, pairs);
        }

        /** Whether a key may go into the map as soon as it has been read. */
        boolean fillsAtOnce(Codec keys) {
            return keys.completeOnceRead();
        }

        static void readPairs(
                ImageReader reader,
                @Nullable Object[] pairs,
                int first,
                @Nullable Codec keys,
                @Nullable TypeHint keyHint,
                @Nullable Codec values,
                @Nullable TypeHint valueHint) {
            for (int i = first; i < pairs.length; i += 2) {
                pairs[i] = ElementsForm.readTyped(reader, keys, keyHint);
                pairs[i + 1] = ElementsForm.readTyped(reader, values, valueHint);
            }
        }

        /** Reads entries whose keys are complete once read, as they are announced, so that they go into the map at once. */
        void readComplete(
                ImageReader reader,
                Object object,
                int entries,
                Codec keys,
                @Nullable Codec values,
                @Nullable TypeHint valueHint) {
            @SuppressWarnings("unchecked")
            Map<@Nullable Object, @Nullable Object> map = (Map<@Nullable Object, @Nullable Object>) object;
            expect(object, entries);
            for (int i = 0; i < entries; i++) {
                Object key = ElementsForm.readTyped(reader, keys, null);
                if (key == null || key.getClass() != keys.type) {
                    readRest(reader, map, entries - i, key, keys, values, valueHint);
                    return;
                }
                Object value = ElementsForm.readTyped(reader, values, valueHint);
                put(reader, map, key, value);
            }
        }

        /** A key is of another class than announced and perhaps not complete: the whole map has to wait. */
        private void readRest(
                ImageReader reader,
                Map<@Nullable Object, @Nullable Object> map,
                int entries,
                @Nullable Object key,
                Codec keys,
                @Nullable Codec values,
                @Nullable TypeHint valueHint) {
            List<@Nullable Object> pairs = new ArrayList<>();
            map.forEach((k, v) -> {
                pairs.add(k);
                pairs.add(v);
            });
            pairs.add(key);
            pairs.add(ElementsForm.readTyped(reader, values, valueHint));
            for (int i = 1; i < entries; i++) {
                pairs.add(ElementsForm.readTyped(reader, keys, null));
                pairs.add(ElementsForm.readTyped(reader, values, valueHint));
            }
            reader.postpone(this, map, pairs.toArray());
        }

        static void put(
                ImageReader reader,
                Map<@Nullable Object, @Nullable Object> map,
                @Nullable Object key,
                @Nullable Object value) {
            try {
                map.put(key, value);
            } catch (ClassCastException | NullPointerException e) {
                // The exception has a message only as long as the code that throws it is not compiled.
                throw reader.malformed(
                        "a " + map.getClass().getName() + " does not take " + nameOf(key) + " as key with "
                                + nameOf(value) + " as value",
                        e);
            } catch (RuntimeException e) {
                // An object of Scala may have any hashCode.
                throw PostponedContainers.keyFailure(map, e);
            }
        }

        private static String nameOf(@Nullable Object object) {
            return object == null ? "null" : "a " + object.getClass().getName();
        }

        @Override
        public void fill(Object container, @Nullable Object[] entries) {
            @SuppressWarnings("unchecked")
            Map<@Nullable Object, @Nullable Object> map = (Map<@Nullable Object, @Nullable Object>) container;
            map.clear();
            try {
                expect(map, entries.length / 2);
                putAll(map, entries);
            } catch (RuntimeException e) {
                throw PostponedContainers.keyFailure(container, e);
            }
        }

        void putAll(Map<@Nullable Object, @Nullable Object> map, @Nullable Object[] pairs) {
            for (int i = 0; i < pairs.length; i += 2) {
                map.put(pairs[i], pairs[i + 1]);
            }
        }

        @Override
        public int hashOfKeys(@Nullable Object[] entries) {
            return CollectionCodecs.hashOf(entries, 2);
        }
    }

    public static final class OfHashMap extends OfMap {
        private static final long THRESHOLD_OFFSET = Access.offsetOf(HashMap.class, "threshold", int.class);

        OfHashMap(int tag) {
            super(HashMap.class, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void writeAsMet(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
            writeEntries(writer, map, keyHint, valueHint, nodeKeyOffset, nodeValueOffset);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new HashMap<>();
        }

        @Override
        void expect(Object map, int entries) {
            // An empty map without a table takes the capacity of its first table from the threshold (HashMap.resize).
            if (THRESHOLD_OFFSET >= 0 && entries > 12 && Access.raw().getInt(map, THRESHOLD_OFFSET) == 0) {
                int capacity = Math.min(1 << 30, Integer.highestOneBit(CollectionCodecs.capacity(entries) - 1) << 1);
                Access.raw().putInt(map, THRESHOLD_OFFSET, capacity);
            }
        }
    }

    public static final class OfLinkedHashMap extends OfMap {
        private static final long ACCESS_ORDER_OFFSET =
                Access.offsetOf(LinkedHashMap.class, "accessOrder", boolean.class);

        OfLinkedHashMap(int tag) {
            super(LinkedHashMap.class, tag, TRACKED | DEFERRABLE);
        }

        @Override
        public void writeShape(ImageWriter writer, Object object) {
            boolean accessOrder = ACCESS_ORDER_OFFSET >= 0
                    ? Access.raw().getBoolean(object, ACCESS_ORDER_OFFSET)
                    : orderOfPlainCopy((LinkedHashMap<?, ?>) object);
            writer.writeByte(accessOrder ? 1 : 0);
        }

        /** Without raw access the order shows on a copy: reading an entry moves it to the end. */
        @SuppressWarnings("NonApiType") // Only this class knows access order.
        private static boolean orderOfPlainCopy(LinkedHashMap<?, ?> map) {
            if (map.size() < 2) {
                return false;
            }
            LinkedHashMap<?, ?> copy = (LinkedHashMap<?, ?>) map.clone();
            Object firstKey = copy.keySet().iterator().next();
            copy.get(firstKey);
            return copy.keySet().iterator().next() != firstKey;
        }

        @Override
        void writeAsMet(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
            writeEntries(writer, map, keyHint, valueHint, nodeKeyOffset, nodeValueOffset);
        }

        @Override
        public Object allocate(ImageReader reader) {
            return new LinkedHashMap<>(16, 0.75f, reader.readByte() != 0);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new LinkedHashMap<>();
        }
    }

    /** Writes the entries of a {@link TreeMap} as they are met. */
    static void writeTree(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
        OfMap.writeEntries(writer, map, keyHint, valueHint, treeKeyOffset, treeValueOffset);
    }

    /** A sorted map in natural order. */
    public static final class OfTreeMap extends OfMap {
        OfTreeMap(int tag) {
            super(TreeMap.class, tag, TRACKED | DEFERRABLE | VARIES);
        }

        @Override
        public Codec variant(ImageWriter writer, Object object) {
            return ((TreeMap<?, ?>) object).comparator() == null
                    ? this
                    : BuiltInTypes.known(BuiltInTypes.COMPARED_TREE_MAP_TAG);
        }

        @Override
        void writeAsMet(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
            writeTree(writer, map, keyHint, valueHint);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new TreeMap<>();
        }

        @Override
        void readComplete(
                ImageReader reader,
                Object object,
                int entries,
                Codec keys,
                @Nullable Codec values,
                @Nullable TypeHint valueHint) {
            if (keys != BuiltInTypes.STRING && keys != BuiltInTypes.INTEGER && keys != BuiltInTypes.LONG) {
                super.readComplete(reader, object, entries, keys, values, valueHint);
                return;
            }
            @Nullable Object[] pairs = new Object[2 * entries];
            readPairs(reader, pairs, 0, keys, null, values, valueHint);
            for (int i = 0; i < pairs.length; i += 2) {
                Object key = pairs[i];
                if (key == null || key.getClass() != keys.type) {
                    reader.postpone(this, object, pairs);
                    return;
                }
            }
            @SuppressWarnings("unchecked")
            TreeMap<Object, @Nullable Object> map = (TreeMap<Object, @Nullable Object>) object;
            SortedPairs.putAll(map, pairs);
        }

        @Override
        @SuppressWarnings("unchecked")
        public void fillInOrder(Object container, @Nullable Object[] entries) {
            SortedPairs.replaceAll((TreeMap<Object, @Nullable Object>) container, entries);
        }

        @Override
        void putAll(Map<@Nullable Object, @Nullable Object> map, @Nullable Object[] pairs) {
            SortedPairs.putAll((TreeMap<Object, @Nullable Object>) map, pairs);
        }
    }
}
