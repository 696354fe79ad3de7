package org.heapspan.image.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.PostponedContainers;
import org.heapspan.image.graph.SmallCopy;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.StackRoom;
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
            super(ArrayList.class, null, tag, TRACKED | DEFERRABLE | SURE);
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.position = writeAt(writer, object, hint, writer.position);
        }

        @Override
        public int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
            TypeHint elementHint = hint == null ? null : hint.first();
            ArrayList<?> list = (ArrayList<?>) object;
            if (!RAW) {
                Object[] data = list.toArray();
                return ElementsForm.writeAt(
                        writer, data, data, data.length, elementHint, writer.writeNumberAt(position, data.length));
            }
            Object[] data = (Object[]) Access.raw().getReference(list, DATA_OFFSET);
            int count = data == null ? 0 : Math.min(list.size(), data.length);
            int start = writer.writeNumberAt(position, count);
            if (data == null) {
                return start;
            }
            Object slots = Access.raw().getReference(list, plainDataOffset);
            // The list may have another array by now, of another length.
            return ElementsForm.writeAt(writer, data, slots == data ? slots : data, count, elementHint, start);
        }

        @Override
        @Nullable
        public Object copySmall(SmallCopy graph, Object original) {
            ArrayList<?> list = (ArrayList<?>) original;
            int count = list.size();
            ArrayList<@Nullable Object> copy = new ArrayList<>(count);
            graph.add(list, copy);
            for (int i = 0; i < count; i++) {
                Object element = graph.take(list.get(i));
                if (element == graph) {
                    return null;
                }
                copy.add(element);
            }
            return copy;
        }

        @Override
        public Object allocate(ImageReader reader) {
            return new ArrayList<>(0);
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
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
            super(type, null, tag, TRACKED | DEFERRABLE | SURE);
            this.maker = maker;
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writeElements(writer, (Collection<?>) object, hint == null ? null : hint.first());
        }

        @Override
        public Object allocate(ImageReader reader) {
            return maker.get();
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
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
                    collection.add(ElementsForm.readTyped(reader, common, elementHint));
                }
            } catch (NullPointerException e) {
                throw reader.malformed("a " + type.getName() + " holds null");
            }
        }
    }

    /** Writes the size and the elements of a collection in the order of its iterator. */
    static void writeElements(ImageWriter writer, Collection<?> collection, @Nullable TypeHint elementHint) {
        writeElements(writer, collection, CollectionCodecs::pushAll, elementHint);
    }

    /** Writes the size and the elements of what is no collection of Java's. */
    static <C> void writeElements(
            ImageWriter writer, C collection, Gatherer<C> gatherer, @Nullable TypeHint elementHint) {
        int first = writer.waiting.count();
        gather(writer, collection, gatherer);
        int end = writer.waiting.count();
        writer.writeNumber(end - first);
        if (end == first) {
            return;
        }
        Codec kind = ElementsForm.kindOf(writer, writer.waiting.array()[first], elementHint);
        ElementsForm.writeKind(writer, kind);
        for (int i = first; i < end; i++) {
            Object element = writer.waiting.array()[i];
            ElementsForm.writeTyped(
                    writer, element, writer.wantsBits() ? writer.bitsOf(element) : 0, kind, elementHint);
        }
        writer.waiting.cutTo(first);
    }

    static void pushAll(ImageWriter writer, Collection<?> collection) {
        for (Object element : collection) {
            writer.waiting.push(element);
        }
    }

    /** Of a collection that never holds null: where there is one, another thread is taking an element out. */
    static void pushAllPresent(ImageWriter writer, Collection<?> collection) {
        for (Object element : collection) {
            writer.waiting.push(Objects.requireNonNull(element));
        }
    }

    /** Pushes what a container holds onto the writer's elements. */
    interface Gatherer<C> {
        void pushAll(ImageWriter writer, C container);
    }

    /** Gathers what a container holds, from the start again where it notices that another thread changes it meanwhile. */
    static <C> void gather(ImageWriter writer, C container, Gatherer<C> gatherer) {
        int first = writer.waiting.count();
        for (int attempt = 0; ; attempt++) {
            try {
                gatherer.pushAll(writer, container);
                return;
            } catch (ConcurrentModificationException
                    | NullPointerException
                    | NoSuchElementException
                    | IndexOutOfBoundsException e) {
                writer.waiting.cutTo(first);
                if (attempt == MOST_ATTEMPTS) {
                    throw changed(container, e);
                }
            }
        }
    }

    private static final int MOST_ATTEMPTS = 100;

    private static HeapspanException changed(Object container, RuntimeException e) {
        return new HeapspanException(
                Category.USAGE,
                "a " + container.getClass().getName() + " was changed by another thread in each of " + MOST_ATTEMPTS
                        + " attempts to read it; synchronize with its writers or use a concurrent collection",
                e);
    }

    /** Sets that ask their elements for hash codes or for their order. */
    static class OfSet extends Codec implements PostponedContainers.Filler {
        private final Supplier<Set<@Nullable Object>> maker;

        OfSet(Class<?> type, int tag, Supplier<Set<@Nullable Object>> maker) {
            this(type, tag, maker, 0);
        }

        private OfSet(Class<?> type, int tag, Supplier<Set<@Nullable Object>> maker, int moreTraits) {
            super(type, null, tag, TRACKED | DEFERRABLE | SURE | moreTraits);
            this.maker = maker;
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writeElements(writer, (Collection<?>) object, hint == null ? null : hint.first());
        }

        @Override
        public Object allocate(ImageReader reader) {
            return maker.get();
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int count = reader.readArrayLength(Map.Entry[].class, 1);
            if (count == 0) {
                return;
            }
            TypeHint elementHint = hint == null ? null : hint.first();
            Codec common = ElementsForm.readKind(reader);
            if (common != null && common.completeOnceRead()) {
                readContents(reader, object, count, common, elementHint);
                return;
            }
            @Nullable Object[] elements = new Object[count];
            CollectionCodecs.readElements(reader, elements, common, elementHint);
            reader.postpone(this, object, elements);
        }

        /** Reads elements that are complete once read, as they are announced, so that they go into the set at once. */
        void readContents(ImageReader reader, Object object, int count, Codec common, @Nullable TypeHint hint) {
            @SuppressWarnings("unchecked")
            Set<@Nullable Object> set = (Set<@Nullable Object>) object;
            for (int i = 0; i < count; i++) {
                Object element = ElementsForm.readTyped(reader, common, hint);
                if (element == null || element.getClass() != common.type) {
                    readRest(reader, set, count - i, element, common);
                    return;
                }
                add(set, element);
            }
        }

        private static void add(Set<@Nullable Object> set, Object element) {
            try {
                set.add(element);
            } catch (RuntimeException e) {
                // An object of Scala may have any hashCode.
                throw PostponedContainers.keyFailure(set, e);
            }
        }

        /** An element is of another class than announced and perhaps not complete: the whole set has to wait. */
        private void readRest(
                ImageReader reader, Set<@Nullable Object> set, int count, @Nullable Object element, Codec common) {
            List<@Nullable Object> elements = new ArrayList<>(set);
            elements.add(element);
            for (int i = 1; i < count; i++) {
                elements.add(ElementsForm.readTyped(reader, common, null));
            }
            reader.postpone(this, set, elements.toArray());
        }

        @Override
        public void fill(Object container, @Nullable Object[] entries) {
            @SuppressWarnings("unchecked")
            Set<@Nullable Object> set = (Set<@Nullable Object>) container;
            refill(set, entries);
        }

        @Override
        public int hashOfKeys(@Nullable Object[] entries) {
            return hashOf(entries, 1);
        }
    }

    /** A sorted set in natural order. */
    public static final class OfTreeSet extends OfSet {
        OfTreeSet(int tag) {
            super(TreeSet.class, tag, TreeSet::new, VARIES);
        }

        @Override
        void readContents(ImageReader reader, Object set, int count, Codec common, @Nullable TypeHint hint) {
            // All at once, because a tree of sorted elements is built in linear time.
            @Nullable Object[] elements = new Object[count];
            CollectionCodecs.readElements(reader, elements, common, hint);
            for (Object element : elements) {
                if (element == null || element.getClass() != common.type) {
                    reader.postpone(this, set, elements);
                    return;
                }
            }
            fill(set, elements);
        }

        @Override
        @SuppressWarnings("unchecked")
        public void fillInOrder(Object container, @Nullable Object[] entries) {
            SortedElements.replaceAll((TreeSet<@Nullable Object>) container, entries);
        }

        @Override
        public Codec variant(ImageWriter writer, Object object) {
            return ((TreeSet<?>) object).comparator() == null
                    ? this
                    : BuiltInTypes.known(BuiltInTypes.COMPARED_TREE_SET_TAG);
        }
    }

    /** Reads elements that are kept apart from their container until they are complete. */
    static void readElements(
            ImageReader reader, @Nullable Object[] elements, @Nullable Codec common, @Nullable TypeHint hint) {
        for (int i = 0; i < elements.length; i++) {
            elements[i] = ElementsForm.readTyped(reader, common, hint);
        }
    }

    static void refill(Collection<@Nullable Object> container, @Nullable Object[] elements) {
        container.clear();
        try {
            if (container instanceof TreeSet<@Nullable Object> set) {
                SortedElements.addAll(set, elements);
                return;
            }
            for (Object element : elements) {
                container.add(element);
            }
        } catch (RuntimeException e) {
            throw PostponedContainers.keyFailure(container, e);
        }
    }

    /** Makes a collection on a larger stack: the one at hand was too small for the hash codes of its keys. */
    static <T> T again(Class<?> container, StackRoom.Computation<T> making, StackOverflowError tooSmall) {
        try {
            return StackRoom.again(making, tooSmall);
        } catch (RuntimeException | StackOverflowError e) {
            throw PostponedContainers.keyFailure(container, e);
        }
    }

    static int hashOf(@Nullable Object[] elements, int stride) {
        int hash = 0;
        try {
            for (int i = 0; i < elements.length; i += stride) {
                Object key = elements[i];
                hash = 31 * hash + (key == null ? 0 : key.hashCode());
            }
        } catch (RuntimeException e) {
            // It stays as it was filled.
            return 0;
        }
        return hash;
    }
}
