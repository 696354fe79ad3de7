package org.heapspan.image.codec;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.graph.PostponedContainers;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * What {@code List.of}, {@code Set.of}, {@code Map.of}, their {@code copyOf} and {@code Stream.toList} return, by contents instead
 * of by the serialization proxy of these classes: no code of the class runs, and the record around keeps the fast identity table.
 *
 * <p>Such a collection exists only once its contents have been read, so these are a section: sets and maps ask for hash codes. A
 * cycle through one is refused, as it is by their own serialization.
 */
public final class ImmutableCollectionCodecs {
    private ImmutableCollectionCodecs() {}

    /** The JDK's classes for lists; one of their objects each. */
    static List<Class<?>> listClasses() {
        return List.of(List.of().getClass(), List.of(0).getClass());
    }

    static List<Class<?>> setClasses() {
        return List.of(Set.of().getClass(), Set.of(0).getClass());
    }

    static List<Class<?>> mapClasses() {
        return List.of(Map.of().getClass(), Map.of(0, 0).getClass());
    }

    static List<Class<?>> emptyClasses() {
        return List.of(
                Collections.emptyList().getClass(),
                Collections.emptySet().getClass(),
                Collections.emptyMap().getClass());
    }

    /** Objects that are made from their contents. */
    abstract static class OfContents extends Codec {
        OfContents(Class<?> type, int tag) {
            super(type, null, tag, TRACKED);
        }

        OfContents(Class<?> type, TypeDescription description) {
            super(type, description, 0, TRACKED);
        }

        abstract void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint);

        abstract Object readContents(ImageReader reader, @Nullable TypeHint hint);

        @Override
        public final void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            int section = writer.beginSection();
            writeContents(writer, object, hint);
            writer.endSection(section);
        }

        @Override
        public final Object allocate(ImageReader reader) {
            throw reader.malformed("a " + type.getName() + " is deferred, but cannot be deferred");
        }

        @Override
        public final void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

        @Override
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            int index = reader.reserveIndex();
            Object made = readContents(reader, hint);
            reader.setObject(index, made);
            return made;
        }
    }

    static void writeElements(ImageWriter writer, Object[] elements, @Nullable TypeHint hint) {
        writer.writeNumber(elements.length);
        ElementsForm.write(
                writer, elements, writer.opaque(elements), elements.length, hint == null ? null : hint.first());
    }

    static @Nullable Object[] readElements(ImageReader reader, @Nullable TypeHint hint) {
        int section = reader.beginSection();
        @Nullable Object[] elements = new Object[reader.readArrayLength(Object[].class, 1)];
        ElementsForm.read(reader, elements, elements.length, hint == null ? null : hint.first());
        reader.endSection(section);
        return elements;
    }

    /** Keys and values in turn. */
    static @Nullable Object[] readEntries(ImageReader reader, @Nullable TypeHint hint) {
        int section = reader.beginSection();
        int entries = reader.readArrayLength(Map.Entry[].class, 2);
        @Nullable Object[] pairs = new Object[2 * entries];
        if (entries > 0) {
            Codec keys = ElementsForm.readKind(reader);
            Codec values = ElementsForm.readKind(reader);
            TypeHint keyHint = hint == null ? null : hint.first();
            TypeHint valueHint = hint == null ? null : hint.second();
            MapCodecs.OfMap.readPairs(reader, pairs, 0, keys, keyHint, values, valueHint);
        }
        reader.endSection(section);
        return pairs;
    }

    public static final class OfList extends OfContents {
        private static final int NULLS_ALLOWED = 1;

        private static final Class<?> LONG_LIST = List.of(0, 1, 2).getClass();
        private static final long NULLS_ALLOWED_OFFSET = Access.offsetOf(LONG_LIST, "allowNulls", boolean.class);

        OfList(int tag) {
            super(LONG_LIST, tag);
        }

        /** Lists of {@code Stream.toList} may hold null, and only they say where. */
        private static boolean allowsNulls(List<?> list) {
            if (list.getClass() != LONG_LIST) {
                return false;
            }
            if (NULLS_ALLOWED_OFFSET >= 0) {
                return Access.raw().getBoolean(list, NULLS_ALLOWED_OFFSET);
            }
            try {
                return list.indexOf(null) >= -1;
            } catch (NullPointerException refused) {
                return false;
            }
        }

        @Override
        void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            List<?> list = (List<?>) object;
            writer.writeByte(allowsNulls(list) ? NULLS_ALLOWED : 0);
            writeElements(writer, list.toArray(), hint);
        }

        @Override
        Object readContents(ImageReader reader, @Nullable TypeHint hint) {
            int flags = reader.readByte();
            @Nullable Object[] elements = readElements(reader, hint);
            if (flags == NULLS_ALLOWED) {
                return Arrays.stream(elements).toList();
            }
            if (flags != 0) {
                throw reader.malformed("an immutable list has flags " + flags);
            }
            try {
                return List.of(elements);
            } catch (NullPointerException e) {
                throw reader.malformed("an immutable list holds null");
            }
        }
    }

    public static final class OfSet extends OfContents {
        OfSet(int tag) {
            super(Set.of(0, 1, 2).getClass(), tag);
        }

        @Override
        void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writeElements(writer, ((Collection<?>) object).toArray(), hint);
        }

        @Override
        Object readContents(ImageReader reader, @Nullable TypeHint hint) {
            @Nullable Object[] elements = readElements(reader, hint);
            requireNoNull(reader, elements);
            if (reader.dropping() && MissingObject.isAmong(elements)) {
                // It is dropped. All objects of a missing class are equal.
                return new HashSet<>(Arrays.asList(elements));
            }
            try {
                return Set.of(elements);
            } catch (StackOverflowError e) {
                return CollectionCodecs.again(
                        type,
                        new StackRoom.Computation<>() {
                            @Override
                            protected Object compute() {
                                return Set.of(elements);
                            }
                        },
                        e);
            } catch (RuntimeException e) {
                throw PostponedContainers.keyFailure(Set.of(), e);
            }
        }
    }

    public static final class OfMap extends OfContents {
        OfMap(int tag) {
            super(Map.of(0, 0, 1, 1).getClass(), tag);
        }

        @Override
        void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            MapCodecs.OfMap.writeGathered(
                    writer,
                    (Map<?, ?>) object,
                    MapCodecs.OfMap::pushAll,
                    hint == null ? null : hint.first(),
                    hint == null ? null : hint.second());
        }

        @Override
        Object readContents(ImageReader reader, @Nullable TypeHint hint) {
            @Nullable Object[] pairs = readEntries(reader, hint);
            requireNoNull(reader, pairs);
            if (reader.dropping() && MissingObject.isAmong(pairs)) {
                return dropped(pairs);
            }
            @SuppressWarnings({"unchecked", "rawtypes"})
            Map.Entry<Object, Object>[] made = new Map.Entry[pairs.length / 2];
            for (int i = 0; i < made.length; i++) {
                made[i] = Map.entry(nonNull(pairs[2 * i]), nonNull(pairs[2 * i + 1]));
            }
            try {
                return Map.ofEntries(made);
            } catch (StackOverflowError e) {
                return CollectionCodecs.again(
                        type,
                        new StackRoom.Computation<>() {
                            @Override
                            protected Object compute() {
                                return Map.ofEntries(made);
                            }
                        },
                        e);
            } catch (RuntimeException e) {
                throw PostponedContainers.keyFailure(Map.of(), e);
            }
        }

        /** As with sets. */
        private static Object dropped(@Nullable Object[] pairs) {
            Map<@Nullable Object, @Nullable Object> map = new HashMap<>();
            for (int i = 0; i < pairs.length; i += 2) {
                map.put(pairs[i], pairs[i + 1]);
            }
            return map;
        }

        private static Object nonNull(@Nullable Object object) {
            return java.util.Objects.requireNonNull(object);
        }
    }

    private static void requireNoNull(ImageReader reader, @Nullable Object[] objects) {
        for (Object object : objects) {
            if (object == null) {
                throw reader.malformed("an immutable collection holds null");
            }
        }
    }

    /** {@code Collections.emptyList()} and its like, of which each JVM has one. */
    public static final class OfEmpty extends LeafCodec {
        private static final List<Object> SINGLES =
                List.of(Collections.emptyList(), Collections.emptySet(), Collections.emptyMap());

        OfEmpty(int tag) {
            super(Collections.emptyList().getClass(), null, tag, 0);
        }

        @Override
        public void writeValue(ImageWriter writer, Object object) {
            for (int i = 0; i < SINGLES.size(); i++) {
                if (SINGLES.get(i).getClass() == object.getClass()) {
                    writer.writeByte(i);
                    return;
                }
            }
            throw new IllegalStateException(object.getClass() + " is not handled here");
        }

        @Override
        public Object readValue(ImageReader reader) {
            int which = reader.readByte();
            if (which < 0 || which >= SINGLES.size()) {
                throw reader.malformed("an empty collection has number " + which);
            }
            return SINGLES.get(which);
        }
    }
}
