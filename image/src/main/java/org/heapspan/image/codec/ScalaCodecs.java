package org.heapspan.image.codec;

import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.PostponedContainers;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Collections of the Scala 2.13 library by their contents instead of by their serialization proxies, and objects ({@code None},
 * {@code Nil}, {@code object Settings} of a program) by their names. Scala's classes are known by name only; without them, or with a library that lacks
 * what is asked for, classes travel as any other does.
 *
 * <p>Immutable collections exist only once their contents are complete, like those of {@code List.of}. Collections made by
 * growing exist before. All are a section, so that whatever follows may use them.
 */
public final class ScalaCodecs {
    private ScalaCodecs() {}

    /** Where a description has this name, a section with the ordering comes before the contents. */
    static final String ORDERING = "ordering";

    private static final String MODULE_FIELD = "MODULE$";

    /** How collections of a kind are made. */
    private enum Making {
        /** By the companion, from all contents at once. */
        FROM,
        /** As FROM, with an ordering. */
        ORDERED,
        /** By the constructor, then adding. */
        GROWING
    }

    /**
     * Classes whose objects one class stands for in images.
     *
     * @param name what it is described as
     */
    private record Family(String name, Kind kind, Making making) {
        TypeDescription description() {
            return new TypeDescription(kind, name, making == Making.ORDERED ? List.of(ORDERING) : List.of(), List.of());
        }
    }

    private static final Map<String, Family> FAMILIES = families();

    private static Map<String, Family> families() {
        Map<String, Family> families = new HashMap<>();
        add(families, Kind.SEQUENCE, Making.FROM, "immutable.List", "immutable.$colon$colon");
        add(
                families,
                Kind.SEQUENCE,
                Making.FROM,
                "immutable.Vector",
                "immutable.Vector1",
                "immutable.Vector2",
                "immutable.Vector3",
                "immutable.Vector4",
                "immutable.Vector5",
                "immutable.Vector6");
        add(families, Kind.SEQUENCE, Making.FROM, "immutable.Queue");
        add(families, Kind.SEQUENCE, Making.FROM, "immutable.HashSet");
        add(families, Kind.SEQUENCE, Making.FROM, "immutable.ListSet", "immutable.ListSet$Node");
        add(families, Kind.SEQUENCE, Making.ORDERED, "immutable.TreeSet");
        add(families, Kind.SEQUENCE, Making.GROWING, "mutable.ArrayBuffer");
        add(families, Kind.SEQUENCE, Making.GROWING, "mutable.ListBuffer");
        add(families, Kind.SEQUENCE, Making.GROWING, "mutable.HashSet");
        add(families, Kind.SEQUENCE, Making.GROWING, "mutable.LinkedHashSet");
        add(families, Kind.MAPPING, Making.FROM, "immutable.HashMap");
        add(families, Kind.MAPPING, Making.FROM, "immutable.ListMap", "immutable.ListMap$Node");
        add(families, Kind.MAPPING, Making.ORDERED, "immutable.TreeMap");
        add(families, Kind.MAPPING, Making.GROWING, "mutable.HashMap");
        add(families, Kind.MAPPING, Making.GROWING, "mutable.LinkedHashMap");
        return Map.copyOf(families);
    }

    private static void add(
            Map<String, Family> families, Kind kind, Making making, String name, String... otherClasses) {
        Family family = new Family("scala.collection." + name, kind, making);
        families.put(family.name, family);
        for (String each : otherClasses) {
            families.put("scala.collection." + each, family);
        }
    }

    /** The codec of an object of Scala or of a class of its library, or null if it has none of its own. */
    public static @Nullable Codec of(Class<?> type) {
        String name = type.getName();
        try {
            if (name.endsWith("$")) {
                return module(type);
            }
            Family family = name.startsWith("scala.") ? FAMILIES.get(name) : null;
            return family == null || !Serializable.class.isAssignableFrom(type) ? null : codec(type, family);
        } catch (ReflectiveOperationException | LinkageError otherScala) {
            return null;
        }
    }

    private static Codec codec(Class<?> type, Family family) throws ReflectiveOperationException {
        ScalaLibrary library = new ScalaLibrary(type.getClassLoader());
        return family.making == Making.GROWING
                ? new OfGrowing(type, family, library)
                : new OfImmutable(type, family, library);
    }

    private static @Nullable Codec module(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals(MODULE_FIELD)
                    && field.getType() == type
                    && Modifier.isStatic(field.getModifiers())
                    && field.trySetAccessible()) {
                return new OfModule(type, field);
            }
        }
        return null;
    }

    /** A Scala object, as if it were an enum with one constant. */
    private static final class OfModule extends NumberCodec {
        private final Field field;

        OfModule(Class<?> type, Field field) {
            super(type, new TypeDescription(Kind.ENUM, type.getName(), List.of(MODULE_FIELD), List.of()), 0, 0);
            this.field = field;
        }

        @Override
        long numberOf(Object value) {
            return 0;
        }

        @Override
        Object valueOf(ImageReader reader, long number) {
            if (number != 0) {
                throw reader.malformed("constant " + number + " of the object " + type.getName());
            }
            Object module;
            try {
                // Asked for only now: it is null as long as the object is being made, and may fail to be.
                module = field.get(null);
            } catch (IllegalAccessException | ExceptionInInitializerError | NoClassDefFoundError e) {
                throw new HeapspanException(Category.HOOK, "the object " + type.getName() + " failed: " + e, e);
            }
            if (module == null) {
                throw new HeapspanException(
                        Category.HOOK,
                        "the object " + type.getName()
                                + " is still being initialized, and its initializer refers to it;"
                                + " decode after it");
            }
            return module;
        }
    }

    /** What all collections have in common. */
    private abstract static class OfCollection extends ImmutableCollectionCodecs.OfContents {
        final Family family;
        final ScalaLibrary library;

        OfCollection(Class<?> type, Family family, ScalaLibrary library) {
            super(type, family.description());
            this.family = family;
            this.library = library;
        }

        final boolean isMap() {
            return family.kind == Kind.MAPPING;
        }

        final void writeEntries(
                ImageWriter writer,
                Object object,
                CollectionCodecs.Gatherer<Object> gatherer,
                @Nullable TypeHint hint) {
            MapCodecs.OfMap.writeGathered(
                    writer, object, gatherer, hint == null ? null : hint.first(), hint == null ? null : hint.second());
        }

        /** Reads the contents as a Scala sequence of elements or tuples. */
        final Object readSequence(ImageReader reader, @Nullable TypeHint hint) {
            return isMap()
                    ? library.sequenceOfTuples(ImmutableCollectionCodecs.readEntries(reader, hint))
                    : library.sequence(ImmutableCollectionCodecs.readElements(reader, hint));
        }
    }

    /** Collections that are made by their companion, from their contents. */
    private static final class OfImmutable extends OfCollection {
        private final MethodHandle from;
        private final @Nullable MethodHandle ordering;

        OfImmutable(Class<?> type, Family family, ScalaLibrary library) throws ReflectiveOperationException {
            super(type, family, library);
            boolean ordered = family.making == Making.ORDERED;
            from = library.from(family.name, ordered ? 2 : 1);
            ordering = ordered ? library.ordering(type) : null;
        }

        @Override
        void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            if (ordering != null) {
                writer.writeSection(ScalaLibrary.call(ordering, object));
            }
            int section = writer.beginSection();
            if (isMap()) {
                writeEntries(writer, object, library::pushImmutableEntries, hint);
            } else {
                ImmutableCollectionCodecs.writeElements(writer, library.elements(object), hint);
            }
            writer.endSection(section);
        }

        @Override
        Object readContents(ImageReader reader, @Nullable TypeHint hint) {
            Object read = ordering == null ? null : reader.readSection();
            if (ordering != null && !library.isOrdering(read)) {
                throw reader.malformed("a " + type.getName() + " has no ordering");
            }
            Object contents = readSequence(reader, hint);
            try {
                return make(contents, read);
            } catch (StackOverflowError e) {
                return CollectionCodecs.again(
                        type,
                        new StackRoom.Computation<>() {
                            @Override
                            protected Object compute() {
                                return make(contents, read);
                            }
                        },
                        e);
            } catch (RuntimeException e) {
                throw PostponedContainers.keyFailure(type, e);
            }
        }

        private Object make(Object contents, @Nullable Object read) {
            return read == null ? ScalaLibrary.call(from, contents) : ScalaLibrary.call(from, contents, read);
        }
    }

    /** Collections that are made empty and added to. */
    private static final class OfGrowing extends OfCollection {
        private final MethodHandle constructor;

        /** False for sequences, which ask nothing of their elements. */
        private final boolean hashesKeys;

        OfGrowing(Class<?> type, Family family, ScalaLibrary library) throws ReflectiveOperationException {
            super(type, family, library);
            constructor = library.constructor(type);
            hashesKeys = !type.getSimpleName().endsWith("Buffer");
        }

        @Override
        void writeContents(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            if (isMap()) {
                writeEntries(writer, object, library::pushEntries, hint);
            } else {
                CollectionCodecs.writeElements(
                        writer, object, library::pushElements, hint == null ? null : hint.first());
            }
        }

        @Override
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            Object made = ScalaLibrary.make(constructor);
            reader.register(made);
            Object contents = readSequence(reader, hint);
            try {
                library.addAll(made, contents);
            } catch (StackOverflowError e) {
                return addAgain(made, contents, e);
            } catch (RuntimeException e) {
                throw PostponedContainers.keyFailure(type, e);
            }
            return made;
        }

        private Object addAgain(Object made, Object contents, StackOverflowError tooSmall) {
            if (!hashesKeys) {
                throw tooSmall;
            }
            // What has been added before is added again, which changes nothing.
            return CollectionCodecs.again(
                    type,
                    new StackRoom.Computation<>() {
                        @Override
                        protected Object compute() {
                            library.addAll(made, contents);
                            return made;
                        }
                    },
                    tooSmall);
        }

        @Override
        Object readContents(ImageReader reader, @Nullable TypeHint hint) {
            throw new IllegalStateException("such a collection is there before its contents");
        }
    }
}
