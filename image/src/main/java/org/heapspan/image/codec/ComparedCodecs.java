package org.heapspan.image.codec;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.PostponedContainers;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/**
 * Sorted containers with a comparator, and priority queues. The comparator, null for natural order, comes before the container
 * that is made with it; comparator and contents are a section each, because the container is filled as soon as both are complete:
 * whatever follows may use it.
 */
final class ComparedCodecs {
    private ComparedCodecs() {}

    @SuppressWarnings("unchecked")
    private static @Nullable Comparator<Object> readComparator(ImageReader reader) {
        Object comparator = reader.readSection();
        if (comparator == null || comparator instanceof Comparator<?>) {
            return (Comparator<Object>) comparator;
        }
        throw reader.malformed("a comparator is a " + comparator.getClass().getName());
    }

    public static final class OfTreeMap extends MapCodecs.OfMap {
        OfTreeMap(int tag) {
            super(TreeMap.class, tag, TRACKED);
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.writeSection(((TreeMap<?, ?>) object).comparator());
            int section = writer.beginSection();
            super.writeBody(writer, object, hint);
            writer.endSection(section);
        }

        @Override
        void writeAsMet(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
            MapCodecs.writeTree(writer, map, keyHint, valueHint);
        }

        @Override
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            int index = reader.reserveIndex();
            TreeMap<@Nullable Object, @Nullable Object> map = new TreeMap<>(readComparator(reader));
            reader.setObject(index, map);
            int section = reader.beginSection();
            readBody(reader, map, hint);
            reader.endSection(section);
            return map;
        }

        @Override
        boolean fillsAtOnce(Codec keys) {
            // What a comparator asks of a key is its own affair.
            return false;
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

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            throw new IllegalStateException("such a map is made with its comparator");
        }
    }

    /** {@code TreeSet} with a comparator and {@code PriorityQueue}. */
    static final class OfCollection extends Codec implements PostponedContainers.Filler {
        private final Function<Object, @Nullable Comparator<?>> comparatorOf;
        private final Function<@Nullable Comparator<Object>, Collection<@Nullable Object>> maker;

        private OfCollection(
                Class<?> type,
                int tag,
                Function<Object, @Nullable Comparator<?>> comparatorOf,
                Function<@Nullable Comparator<Object>, Collection<@Nullable Object>> maker) {
            super(type, null, tag, TRACKED | SURE);
            this.comparatorOf = comparatorOf;
            this.maker = maker;
        }

        static OfCollection treeSet(int tag) {
            return new OfCollection(TreeSet.class, tag, set -> ((SortedSet<?>) set).comparator(), TreeSet::new);
        }

        /** Its elements in the order of its array, in which {@code add} moves none of them. */
        static OfCollection priorityQueue(int tag) {
            return new OfCollection(
                    PriorityQueue.class,
                    tag,
                    queue -> ((PriorityQueue<?>) queue).comparator(),
                    comparator -> new PriorityQueue<>(11, comparator));
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.writeSection(comparatorOf.apply(object));
            int section = writer.beginSection();
            CollectionCodecs.Gatherer<Collection<?>> gatherer =
                    type == PriorityQueue.class ? CollectionCodecs::pushAllPresent : CollectionCodecs::pushAll;
            CollectionCodecs.writeElements(
                    writer, (Collection<?>) object, gatherer, hint == null ? null : hint.first());
            writer.endSection(section);
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw reader.malformed(
                    "a " + type.getName() + " is deferred without its comparator, but cannot be deferred");
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            int count = reader.readArrayLength(Map.Entry[].class, 1);
            if (count > 0) {
                Codec common = ElementsForm.readKind(reader);
                @Nullable Object[] elements = new Object[count];
                CollectionCodecs.readElements(reader, elements, common, hint == null ? null : hint.first());
                reader.postpone(this, object, elements);
            }
        }

        @Override
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            int index = reader.reserveIndex();
            Collection<@Nullable Object> made = maker.apply(readComparator(reader));
            reader.setObject(index, made);
            int section = reader.beginSection();
            readBody(reader, made, hint);
            reader.endSection(section);
            return made;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void fill(Object container, @Nullable Object[] entries) {
            CollectionCodecs.refill((Collection<@Nullable Object>) container, entries);
        }

        @Override
        @SuppressWarnings("unchecked")
        public void fillInOrder(Object container, @Nullable Object[] entries) {
            SortedElements.replaceAll((TreeSet<@Nullable Object>) container, entries);
        }

        @Override
        public int hashOfKeys(@Nullable Object[] entries) {
            return CollectionCodecs.hashOf(entries, 1);
        }
    }
}
