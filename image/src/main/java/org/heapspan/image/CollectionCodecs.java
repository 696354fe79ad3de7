package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Codecs of the collections that carry most of the world's data: their elements, not their insides. */
final class CollectionCodecs {
    private CollectionCodecs() {}

    /** Capacity that holds a number of entries at the default load factor without growing. */
    static int capacity(int entries) {
        return entries < 3 ? entries + 1 : (int) Math.min(1L << 30, entries * 4L / 3 + 1);
    }

    static final class OfArrayList extends Codec {
        private static final long DATA_OFFSET = Access.offsetOf(ArrayList.class, "elementData", Object[].class);
        private static final long SIZE_OFFSET = Access.offsetOf(ArrayList.class, "size", int.class);
        private static final boolean RAW = DATA_OFFSET >= 0 && SIZE_OFFSET >= 0;

        /** Not final: with a constant offset the JIT knows the field's type, and with it that the slots hold references. */
        private static long plainDataOffset = DATA_OFFSET;

        OfArrayList(int tag) {
            super(ArrayList.class, null, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void writeShape(ImageWriter writer, Object object) {}

        @Override
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            TypeHint elementHint = hint == null ? null : hint.first();
            ArrayList<?> list = (ArrayList<?>) object;
            if (RAW) {
                Object[] data = (Object[]) Access.raw().getReference(list, DATA_OFFSET);
                int count = data == null ? 0 : Math.min(list.size(), data.length);
                writer.writeNumber(count);
                if (data != null) {
                    Object slots = Access.raw().getReference(list, plainDataOffset);
                    // The list may have another array by now, of another length.
                    ElementsForm.write(writer, data, slots == data ? slots : data, count, elementHint);
                }
            } else {
                Object[] data = list.toArray();
                writer.writeNumber(data.length);
                ElementsForm.write(writer, data, data, data.length, elementHint);
            }
        }

        @Override
        Object allocate(ImageReader reader) {
            return new ArrayList<>(0);
        }

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int count = reader.readArrayLength(Object[].class, 1);
            if (count == 0) {
                return;
            }
            @Nullable Object[] data = new Object[count];
            @SuppressWarnings("unchecked")
            ArrayList<@Nullable Object> list = (ArrayList<@Nullable Object>) object;
            if (RAW) {
                // The list shows its elements only once all are there; until then it is empty.
                ElementsForm.read(reader, data, count, hint == null ? null : hint.first());
                Access.raw().putReference(list, DATA_OFFSET, data);
                Access.raw().putInt(list, SIZE_OFFSET, count);
            } else {
                ElementsForm.read(reader, data, count, hint == null ? null : hint.first());
                list.addAll(Arrays.asList(data));
            }
        }
    }

    /** Lists and queues that are made empty and filled by {@code add}. */
    static final class OfQueue extends Codec {
        private final Supplier<Collection<@Nullable Object>> maker;

        OfQueue(Class<?> type, int tag, Supplier<Collection<@Nullable Object>> maker) {
            super(type, null, tag, TRACKED | DEFERRABLE);
            this.maker = maker;
        }

        @Override
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writeElements(writer, (Collection<?>) object, hint == null ? null : hint.first());
        }

        @Override
        Object allocate(ImageReader reader) {
            return maker.get();
        }

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int count = reader.readArrayLength(Object[].class, 1);
            if (count == 0) {
                return;
            }
            TypeHint elementHint = hint == null ? null : hint.first();
            Codec common = ElementsForm.readKind(reader);
            @SuppressWarnings("unchecked")
            Collection<@Nullable Object> collection = (Collection<@Nullable Object>) object;
            try {
                for (int i = 0; i < count; i++) {
                    collection.add(ElementsForm.readOne(reader, common, elementHint));
                }
            } catch (NullPointerException e) {
                throw reader.malformed("a " + type.getName() + " holds null");
            }
        }
    }

    /** Writes the size and the elements of a collection in the order of its iterator. */
    static void writeElements(ImageWriter writer, Collection<?> collection, @Nullable TypeHint elementHint) {
        int first = writer.elementCount();
        pushByIterator(writer, collection);
        int end = writer.elementCount();
        writer.writeNumber(end - first);
        if (end == first) {
            return;
        }
        Codec common = ElementsForm.common(writer, writer.elements(), first, 1, end, elementHint);
        ElementsForm.writeKind(writer, common);
        for (int i = first; i < end; i++) {
            ElementsForm.writeOne(writer, i, common, elementHint);
        }
        writer.popElements(first);
    }

    private static void pushByIterator(ImageWriter writer, Collection<?> collection) {
        int first = writer.elementCount();
        for (int attempt = 0; ; attempt++) {
            try {
                for (Object element : collection) {
                    writer.pushElement(element);
                }
                return;
            } catch (ConcurrentModificationException e) {
                writer.popElements(first);
                if (attempt == MOST_ATTEMPTS) {
                    throw changed(collection, e);
                }
            }
        }
    }

    private static final int MOST_ATTEMPTS = 100;

    private static HeapspanException changed(Object container, ConcurrentModificationException e) {
        return new HeapspanException(
                Category.USAGE,
                "a " + container.getClass().getName() + " was changed by another thread in each of " + MOST_ATTEMPTS
                        + " attempts to read it; synchronize with its writers or use a concurrent collection",
                e);
    }

    /** Maps: a size, then keys and values in turn, each in the form of {@link ElementsForm}. */
    abstract static class OfMap extends Codec implements PostponedContainers.Filler {
        OfMap(Class<?> type, int tag, int traits) {
            super(type, null, tag, traits);
        }

        /** Pushes all keys and values, in turn, onto the writer's stack of elements. */
        abstract void pushEntries(ImageWriter writer, Map<?, ?> map);

        abstract Map<@Nullable Object, @Nullable Object> make();

        @Override
        final void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            int first = writer.elementCount();
            pushEntries(writer, (Map<?, ?>) object);
            int end = writer.elementCount();
            writer.writeNumber(end - first >> 1);
            if (end == first) {
                return;
            }
            TypeHint keyHint = hint == null ? null : hint.first();
            TypeHint valueHint = hint == null ? null : hint.second();
            Codec keys = ElementsForm.common(writer, writer.elements(), first, 2, end, keyHint);
            Codec values = ElementsForm.common(writer, writer.elements(), first + 1, 2, end, valueHint);
            ElementsForm.writeKind(writer, keys);
            ElementsForm.writeKind(writer, values);
            for (int i = first; i < end; i += 2) {
                ElementsForm.writeOne(writer, i, keys, keyHint);
                ElementsForm.writeOne(writer, i + 1, values, valueHint);
            }
            writer.popElements(first);
        }

        @Override
        Object allocate(ImageReader reader) {
            return make();
        }

        /** Prepares for a number of entries. */
        void expect(Object map, int entries) {}

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int entries = reader.readArrayLength(Map.Entry[].class, 2);
            if (entries == 0) {
                return;
            }
            TypeHint keyHint = hint == null ? null : hint.first();
            TypeHint valueHint = hint == null ? null : hint.second();
            Codec keys = ElementsForm.readKind(reader);
            Codec values = ElementsForm.readKind(reader);
            @SuppressWarnings("unchecked")
            Map<@Nullable Object, @Nullable Object> map = (Map<@Nullable Object, @Nullable Object>) object;
            if (keys != null && keys.has(LEAF) && (keys.builtInTag != 0 || keys instanceof EnumCodec)) {
                // Keys that are complete once read: the map can be filled at once.
                expect(object, entries);
                for (int i = 0; i < entries; i++) {
                    Object key = ElementsForm.readOne(reader, keys, keyHint);
                    put(reader, map, key, ElementsForm.readOne(reader, values, valueHint));
                }
                return;
            }
            @Nullable Object[] pairs = new Object[2 * entries];
            for (int i = 0; i < pairs.length; i += 2) {
                pairs[i] = ElementsForm.readOne(reader, keys, keyHint);
                pairs[i + 1] = ElementsForm.readOne(reader, values, valueHint);
            }
            reader.postpone(this, object, pairs);
        }

        private static void put(
                ImageReader reader,
                Map<@Nullable Object, @Nullable Object> map,
                @Nullable Object key,
                @Nullable Object value) {
            try {
                map.put(key, value);
            } catch (ClassCastException | NullPointerException e) {
                throw reader.malformed("a " + map.getClass().getName() + " does not take a key: " + e.getMessage());
            }
        }

        @Override
        public void fill(Object container, @Nullable Object[] entries) {
            @SuppressWarnings("unchecked")
            Map<@Nullable Object, @Nullable Object> map = (Map<@Nullable Object, @Nullable Object>) container;
            map.clear();
            try {
                expect(map, entries.length / 2);
                for (int i = 0; i < entries.length; i += 2) {
                    map.put(entries[i], entries[i + 1]);
                }
            } catch (RuntimeException | StackOverflowError e) {
                throw keyFailure(container, e);
            }
        }

        @Override
        public int hashOfKeys(@Nullable Object[] entries) {
            return hashOf(entries, 2);
        }
    }

    static HeapspanException keyFailure(Object container, Throwable e) {
        return new HeapspanException(
                Category.HOOK,
                "filling a " + container.getClass().getName() + " failed: hashCode, equals or compareTo of a key threw "
                        + e,
                e);
    }

    static int hashOf(@Nullable Object[] elements, int stride) {
        int hash = 0;
        try {
            for (int i = 0; i < elements.length; i += stride) {
                Object key = elements[i];
                hash = 31 * hash + (key == null ? 0 : key.hashCode());
            }
        } catch (RuntimeException | StackOverflowError e) {
            // A container that contains itself has no hash code; it stays as it was filled.
            return 0;
        }
        return hash;
    }

    static void pushByIterator(ImageWriter writer, Map<?, ?> map) {
        int first = writer.elementCount();
        for (int attempt = 0; ; attempt++) {
            try {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    writer.pushElement(entry.getKey());
                    writer.pushElement(entry.getValue());
                }
                return;
            } catch (ConcurrentModificationException e) {
                writer.popElements(first);
                if (attempt == MOST_ATTEMPTS) {
                    throw changed(map, e);
                }
            }
        }
    }

    static class OfHashMap extends OfMap {
        private static final long TABLE_OFFSET;
        private static final long KEY_OFFSET;
        private static final long VALUE_OFFSET;
        private static final long NEXT_OFFSET;

        static {
            Class<?> node;
            try {
                node = Class.forName("java.util.HashMap$Node");
            } catch (ClassNotFoundException otherJdk) {
                node = Object.class;
            }
            TABLE_OFFSET = Access.offsetOf(HashMap.class, "table", node.arrayType());
            KEY_OFFSET = Access.offsetOf(node, "key", Object.class);
            VALUE_OFFSET = Access.offsetOf(node, "value", Object.class);
            NEXT_OFFSET = Access.offsetOf(node, "next", node);
        }

        private static final boolean RAW =
                TABLE_OFFSET >= 0 && KEY_OFFSET >= 0 && VALUE_OFFSET >= 0 && NEXT_OFFSET >= 0;

        OfHashMap(int tag) {
            super(HashMap.class, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void pushEntries(ImageWriter writer, Map<?, ?> map) {
            if (RAW) {
                pushNodes(writer, map);
            } else {
                pushByIterator(writer, map);
            }
        }

        static void pushNodes(ImageWriter writer, Map<?, ?> map) {
            RawMemory raw = Access.raw();
            Object[] table = (Object[]) raw.getReference(map, TABLE_OFFSET);
            if (table == null) {
                return;
            }
            // Others may change the map meanwhile and leave a chain that never ends.
            long most = 2L * map.size() + 1024;
            for (Object head : table) {
                for (Object node = head; node != null && most > 0; node = raw.getReference(node, NEXT_OFFSET)) {
                    writer.pushElement(raw.getReference(node, KEY_OFFSET));
                    writer.pushElement(raw.getReference(node, VALUE_OFFSET));
                    most--;
                }
            }
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new HashMap<>();
        }

        private static final long THRESHOLD_OFFSET = Access.offsetOf(HashMap.class, "threshold", int.class);

        @Override
        void expect(Object map, int entries) {
            // An empty map without a table takes the capacity of its first table from the threshold (HashMap.resize).
            if (THRESHOLD_OFFSET >= 0 && ((Map<?, ?>) map).isEmpty() && entries > 12) {
                if (Access.raw().getReference(map, TABLE_OFFSET) == null) {
                    int capacity = Math.min(1 << 30, Integer.highestOneBit(capacity(entries) - 1) << 1);
                    Access.raw().putInt(map, THRESHOLD_OFFSET, capacity);
                }
            }
        }
    }

    static final class OfLinkedHashMap extends OfMap {
        private static final long ACCESS_ORDER_OFFSET =
                Access.offsetOf(LinkedHashMap.class, "accessOrder", boolean.class);

        OfLinkedHashMap(int tag) {
            super(LinkedHashMap.class, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void writeShape(ImageWriter writer, Object object) {
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
        Object allocate(ImageReader reader) {
            return new LinkedHashMap<>(16, 0.75f, reader.readByte() != 0);
        }

        @Override
        void pushEntries(ImageWriter writer, Map<?, ?> map) {
            pushByIterator(writer, map);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new LinkedHashMap<>();
        }
    }

    /** A sorted map in natural order; one with a comparator travels by its own serialization. */
    static final class OfTreeMap extends OfMap {
        OfTreeMap(int tag) {
            super(TreeMap.class, tag, TRACKED | DEFERRABLE | VARIES);
        }

        @Override
        Codec variant(ImageWriter writer, Object object) {
            return ((TreeMap<?, ?>) object).comparator() == null ? this : writer.registry.hookForm(TreeMap.class);
        }

        @Override
        void pushEntries(ImageWriter writer, Map<?, ?> map) {
            pushByIterator(writer, map);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new TreeMap<>();
        }
    }

    static class OfHashSet extends Codec implements PostponedContainers.Filler {
        OfHashSet(Class<?> type, int tag) {
            super(type, null, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writeElements(writer, (Collection<?>) object, hint == null ? null : hint.first());
        }

        @Override
        Object allocate(ImageReader reader) {
            return type == LinkedHashSet.class ? new LinkedHashSet<>() : new HashSet<>();
        }

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int count = reader.readArrayLength(Map.Entry[].class, 1);
            if (count == 0) {
                return;
            }
            TypeHint elementHint = hint == null ? null : hint.first();
            Codec common = ElementsForm.readKind(reader);
            @SuppressWarnings("unchecked")
            HashSet<@Nullable Object> set = (HashSet<@Nullable Object>) object;
            if (common != null && common.has(LEAF) && (common.builtInTag != 0 || common instanceof EnumCodec)) {
                for (int i = 0; i < count; i++) {
                    set.add(ElementsForm.readOne(reader, common, elementHint));
                }
                return;
            }
            @Nullable Object[] elements = new Object[count];
            for (int i = 0; i < count; i++) {
                elements[i] = ElementsForm.readOne(reader, common, elementHint);
            }
            reader.postpone(this, object, elements);
        }

        @Override
        public void fill(Object container, @Nullable Object[] entries) {
            @SuppressWarnings("unchecked")
            HashSet<@Nullable Object> set = (HashSet<@Nullable Object>) container;
            set.clear();
            try {
                for (Object element : entries) {
                    set.add(element);
                }
            } catch (RuntimeException | StackOverflowError e) {
                throw keyFailure(container, e);
            }
        }

        @Override
        public int hashOfKeys(@Nullable Object[] entries) {
            return hashOf(entries, 1);
        }
    }
}
