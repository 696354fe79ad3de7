package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Supplier;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
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
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.position = writeAt(writer, object, hint, writer.position);
        }

        @Override
        int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
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
                    collection.add(ElementsForm.readTyped(reader, common, elementHint));
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
        Codec kind = ElementsForm.kindOf(writer, writer.elements()[first], elementHint);
        ElementsForm.writeKind(writer, kind);
        for (int i = first; i < end; i++) {
            Object element = writer.elements()[i];
            ElementsForm.writeTyped(
                    writer, element, writer.wantsBits() ? writer.bitsOf(element) : 0, kind, elementHint);
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
            } catch (ConcurrentModificationException | NullPointerException | NoSuchElementException e) {
                writer.popElements(first);
                if (attempt == MOST_ATTEMPTS) {
                    throw changed(collection, e);
                }
            }
        }
    }

    static final int MOST_ATTEMPTS = 100;

    static HeapspanException changed(Object container, RuntimeException e) {
        return new HeapspanException(
                Category.USAGE,
                "a " + container.getClass().getName() + " was changed by another thread in each of " + MOST_ATTEMPTS
                        + " attempts to read it; synchronize with its writers or use a concurrent collection",
                e);
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
            if (common != null && common.completeOnceRead()) {
                for (int i = 0; i < count; i++) {
                    Object element = ElementsForm.readTyped(reader, common, elementHint);
                    if (element == null || element.getClass() != common.type) {
                        readRest(reader, set, count - i, element, common);
                        return;
                    }
                    set.add(element);
                }
                return;
            }
            @Nullable Object[] elements = new Object[count];
            reader.oweElements(count);
            for (int i = 0; i < count; i++) {
                reader.settleElement();
                elements[i] = ElementsForm.readTyped(reader, common, elementHint);
            }
            reader.postpone(this, object, elements);
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
}
