package org.heapspan.image.serialization;

import java.io.Externalizable;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.Derivation;
import org.heapspan.image.type.DerivedObject;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.PlainClasses;
import org.heapspan.image.type.RefusedClass;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Objects that another object, their origin, gives: views of collections, descriptors of classes. The origin travels, and with it the
 * method ({@link Derivation}) by which the reader asks its copy for the same again, so that a view stays a view.
 *
 * <p>Where it can be, an origin that is met here first is there before its contents, so that these may refer to the view.
 */
public final class DerivedCodec extends Codec {
    /** How objects travel of which no origin is found; null if not at all. */
    public final @Nullable Codec form;

    private DerivedCodec(Class<?> type, Class<?> resultType, @Nullable Codec form) {
        super(type, descriptionOf(resultType), 0, TRACKED | VARIES);
        this.form = form;
    }

    private static TypeDescription descriptionOf(Class<?> resultType) {
        return new TypeDescription(Kind.DERIVED, resultType.getName(), List.of(), List.of());
    }

    /**
     * The codec of a class that this {@linkplain #handles handles}.
     *
     * @param form how they travel else; null if not at all
     */
    public static DerivedCodec of(Class<?> type, @Nullable Codec form) {
        if (type == ObjectStreamClass.class) {
            return new DerivedCodec(type, type, null);
        }
        if (Iterator.class.isAssignableFrom(type)) {
            return new DerivedCodec(type, Iterator.class, null);
        }
        return new DerivedCodec(type, Map.class.isAssignableFrom(type) ? Map.class : Collection.class, form);
    }

    /** Whether objects of a class may be derived from others. */
    public static boolean handles(Class<?> type) {
        if (type == ObjectStreamClass.class) {
            return true;
        }
        if (Iterator.class.isAssignableFrom(type)) {
            return type.getName().startsWith("java.util.")
                    && JdkClasses.contain(type)
                    && !Modifier.isPublic(type.getModifiers())
                    && !PlainClasses.contains(type);
        }
        // Reversed views of some lists are Externalizable by inheritance, and refuse it.
        boolean travels = Serializable.class.isAssignableFrom(type) && !Externalizable.class.isAssignableFrom(type);
        return isWrapper(type)
                || JdkClasses.contain(type)
                        && !travels
                        && !Modifier.isPublic(type.getModifiers())
                        && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** Whether a class, Serializable, lies around the views of others: those of {@code Hashtable} and {@code Vector} are such. */
    public static boolean isWrapper(Class<?> type) {
        return type.getName().startsWith("java.util.Collections$Synchronized")
                && Collection.class.isAssignableFrom(type);
    }

    /** What reads objects of a description; its kind is DERIVED. */
    public static DerivedCodec reading(TypeDescription written) {
        for (Class<?> each : List.of(Collection.class, Map.class, Iterator.class, ObjectStreamClass.class)) {
            if (descriptionOf(each).equals(written)) {
                return new DerivedCodec(each, each, null);
            }
        }
        throw new HeapspanException(
                Category.MALFORMED, "the image is malformed: objects of " + written.name() + " are derived from none");
    }

    @Override
    public Codec variant(ImageWriter writer, Object object) {
        DerivedObject found = derived(object);
        if (found != null) {
            return new Written(this, found);
        }
        if (form == null) {
            throw refusal().toException("");
        }
        Codec other = writer.registry.registered(form);
        return other.has(VARIES) ? other.variant(writer, object) : other;
    }

    private @Nullable DerivedObject derived(Object object) {
        try {
            return DerivedObject.of(object);
        } catch (HeapspanException e) {
            if (form != null && e.category() == Category.ACCESS) {
                // Nothing shows what lies behind it; it travels as it did without this codec.
                return null;
            }
            throw e;
        }
    }

    private RefusedClass refusal() {
        return new RefusedClass(type, "it is a class of the JDK that is not Serializable");
    }

    @Override
    @Nullable
    public RefusedClass refusalOf(Object object) {
        return form == null && DerivedObject.of(object) == null ? refusal() : null;
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("variant() comes first");
    }

    @Override
    public Object allocate(ImageReader reader) {
        throw reader.malformed("a derived object is deferred, but cannot be deferred");
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        int index = reader.reserveIndex();
        int number = reader.readByte();
        Derivation way = Derivation.ofNumber(number);
        TypeDescription written = description;
        if (way == null || written == null || !way.resultType.getName().equals(written.name())) {
            throw reader.malformed("a " + type.getName() + " is derived by method " + number);
        }
        way.requireHere();
        Object derived = way == Derivation.SUB_LIST
                ? readSubList(reader)
                : way.isIterator() ? readIterator(reader, way) : readPlain(reader, way);
        reader.setObject(index, derived);
        return derived;
    }

    private static Object readPlain(ImageReader reader, Derivation way) {
        Object origin = reader.readReference(null);
        if (origin instanceof MissingObject) {
            return origin;
        }
        if (origin == null || !way.suits(origin)) {
            throw misfit(reader, way, origin);
        }
        Object derived;
        try {
            derived = way.from(origin);
        } catch (RuntimeException | StackOverflowError e) {
            throw failure(way, origin, e);
        }
        if (!way.resultType.isInstance(derived)) {
            throw misfit(reader, way, origin);
        }
        return derived;
    }

    private static Object readSubList(ImageReader reader) {
        int section = reader.beginSection();
        Object origin = reader.readReference(null);
        reader.endSection(section);
        int first = reader.readCount();
        int size = reader.readCount();
        if (origin instanceof MissingObject) {
            return origin;
        }
        if (!(origin instanceof List<?> list)) {
            throw misfit(reader, Derivation.SUB_LIST, origin);
        }
        try {
            return reader.subLists().make(reader, list, first, size);
        } catch (HeapspanException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw failure(Derivation.SUB_LIST, origin, e);
        }
    }

    private static Object readIterator(ImageReader reader, Derivation way) {
        int section = reader.beginSection();
        Object origin = reader.readReference(null);
        reader.endSection(section);
        int passed = reader.readCount();
        reader.takeSteps(passed);
        if (origin instanceof MissingObject) {
            return origin;
        }
        if (!(origin instanceof Collection<?> collection) || !way.suits(origin)) {
            throw misfit(reader, way, origin);
        }
        try {
            if (!(way.from(origin) instanceof Iterator<?> iterator)) {
                throw misfit(reader, way, origin);
            }
            for (int i = 0; i < passed; i++) {
                if (!iterator.hasNext()) {
                    throw reader.malformed("an iterator has passed " + passed + " elements of a "
                            + origin.getClass().getName() + " that has " + i
                            + ", or it is part of a cycle through its collection, which is not supported");
                }
                iterator.next();
            }
            reader.subLists().expectIterator(reader, collection, iterator, way, passed);
            return iterator;
        } catch (HeapspanException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw failure(way, origin, e);
        }
    }

    private static HeapspanException misfit(ImageReader reader, Derivation way, @Nullable Object origin) {
        return reader.malformed(
                (origin == null ? "null" : "a " + origin.getClass().getName()) + " has no " + way + " to derive");
    }

    private static HeapspanException failure(Derivation way, Object origin, Throwable e) {
        return new HeapspanException(
                Category.HOOK, "asking a " + origin.getClass().getName() + " for its " + way + " failed: " + e, e);
    }

    /** One object's origin, between its being found and its being written. */
    private static final class Written extends Codec {
        private final DerivedCodec form;
        private final DerivedObject derived;

        Written(DerivedCodec form, DerivedObject derived) {
            super(Object.class, form.description, 0, TRACKED);
            this.form = form;
            this.derived = derived;
            serial = form.serial;
            stamp = form.stamp;
        }

        @Override
        public Codec described() {
            return form;
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.writeByte(derived.way().number);
            if (derived.way().hasNumbers()) {
                // A sub list needs a list that has its elements, and so does an iterator.
                writer.writeSection(derived.origin());
                writer.writeNumber(derived.first());
                if (derived.way() == Derivation.SUB_LIST) {
                    writer.writeNumber(derived.size());
                }
            } else {
                writer.writeBeforeContents(derived.origin());
            }
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw new IllegalStateException();
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}
    }
}
