package org.heapspan.image.type;

import java.io.ObjectStreamClass;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.SortedSet;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * How another object gives an object anew. Found by trial: whatever lies in a field of a view is asked for its views, and the one that
 * has the same class and the same insides is the way. So nothing depends on how a JDK names its classes and most of their fields, and
 * what cannot be proven is not carried.
 *
 * @param way the method of the origin
 * @param origin what gives the object
 * @param first of a sub list, the index of its first element in the origin; of an iterator, how many elements it has passed
 * @param size of a sub list
 */
public record DerivedObject(Derivation way, Object origin, int first, int size) {
    /** Field of the JDK's sub lists; where a JDK has no such field, its sub lists are refused. */
    public static final String OFFSET_FIELD = "offset";

    /** Wrappers lie around views; deeper nesting is none of the JDK's making. */
    private static final int MOST_WRAPPERS = 2;

    /** Finds the origin of an object; null if it has none. */
    public static @Nullable DerivedObject of(Object object) {
        if (object instanceof ObjectStreamClass descriptor) {
            Class<?> described = descriptor.forClass();
            return described == null ? null : new DerivedObject(Derivation.CLASS_DESCRIPTOR, described, 0, 0);
        }
        List<Object> origins = origins(object);
        if (object instanceof Iterator<?> iterator) {
            return iteratorOf(iterator, origins);
        }
        for (Object origin : origins) {
            DerivedObject found = of(object, origin);
            if (found != null) {
                return found;
            }
        }
        for (Object origin : origins) {
            DerivedObject found = reversedViewOf(object, origin);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable DerivedObject of(Object object, Object origin) {
        for (Derivation way : Derivation.all()) {
            if (!way.hasNumbers() && gives(way, origin, object)) {
                return new DerivedObject(way, origin, 0, 0);
            }
        }
        return origin instanceof List<?> list && object instanceof List<?> view ? subList(view, list) : null;
    }

    /** The reversed form of a view has the collection behind both in its field, not the view. */
    private static @Nullable DerivedObject reversedViewOf(Object object, Object origin) {
        for (Derivation way : Derivation.all()) {
            if (way.hasNumbers() || way == Derivation.CLASS_DESCRIPTOR || !way.suits(origin)) {
                continue;
            }
            Object view = given(way, origin);
            if (view != null && gives(Derivation.REVERSED, view, object)) {
                return new DerivedObject(Derivation.REVERSED, view, 0, 0);
            }
        }
        return null;
    }

    private static boolean gives(Derivation way, Object origin, Object object) {
        return way.resultType.isInstance(object)
                && way.suits(origin)
                && isSame(given(way, origin), object, MOST_WRAPPERS);
    }

    /** What an origin gives; maps and lists of users may refuse. */
    private static @Nullable Object given(Derivation way, Object origin) {
        try {
            return way.from(origin);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static @Nullable DerivedObject iteratorOf(Iterator<?> iterator, List<Object> origins) {
        for (Object origin : origins) {
            List<Collection<?>> collections = new ArrayList<>();
            if (origin instanceof Collection<?> collection) {
                collections.add(collection);
            } else if (origin instanceof Map<?, ?> map) {
                collections.addAll(List.of(map.keySet(), map.values(), map.entrySet()));
            }
            for (Collection<?> collection : collections) {
                DerivedObject found = iteratorOf(iterator, collection, Derivation.ITERATOR);
                if (found == null) {
                    found = iteratorOf(iterator, collection, Derivation.LIST_ITERATOR);
                }
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static @Nullable DerivedObject iteratorOf(Iterator<?> iterator, Collection<?> collection, Derivation way) {
        if (!way.suits(collection)
                || !JdkClasses.contain(collection.getClass())
                || !(given(way, collection) instanceof Iterator<?> other)
                || other.getClass() != iterator.getClass()) {
            return null;
        }
        int passed = 0;
        while (!isSame(other, iterator, 0)) {
            if (!other.hasNext()) {
                return null;
            }
            other.next();
            passed++;
        }
        // Elsewhere, hash codes may bring the elements into another order, in which others have been passed.
        boolean keepsOrder = passed == 0 || !other.hasNext() || hasOrder(collection) || behindHasOrder(iterator);
        return keepsOrder ? new DerivedObject(way, collection, passed, 0) : null;
    }

    private static boolean behindHasOrder(Iterator<?> iterator) {
        return origins(iterator).stream().anyMatch(DerivedObject::hasOrder);
    }

    /** Whether a copy of a collection gives its elements in the same order. */
    private static boolean hasOrder(Object collection) {
        return collection instanceof List<?>
                || collection instanceof Queue<?>
                || collection instanceof SortedSet<?>
                || collection instanceof SortedMap<?, ?>
                || collection instanceof LinkedHashMap<?, ?>
                || collection instanceof EnumMap<?, ?>
                || collection instanceof EnumSet<?>;
    }

    /** Whether an iterator is the one that a collection gives after some elements. */
    public static boolean isAt(Iterator<?> iterator, Collection<?> collection, Derivation way, int passed) {
        if (!(given(way, collection) instanceof Iterator<?> other)) {
            return false;
        }
        for (int i = 0; i < passed; i++) {
            if (!other.hasNext()) {
                return false;
            }
            other.next();
        }
        return isSame(other, iterator, 0);
    }

    private static @Nullable DerivedObject subList(List<?> view, List<?> list) {
        int offset = offsetOf(view, MOST_WRAPPERS);
        if (offset < 0) {
            return null;
        }
        int size;
        try {
            size = view.size();
        } catch (ConcurrentModificationException e) {
            throw new HeapspanException(
                    Category.USAGE,
                    "a " + view.getClass().getName()
                            + " cannot be used, because elements were added to its list or removed from it after it"
                            + " was created; make the sub list anew",
                    e);
        }
        int first = offset - Math.max(0, offsetOf(list, 0));
        if (first < 0 || size > list.size() - first) {
            return null;
        }
        return isSame(list.subList(first, first + size), view, MOST_WRAPPERS)
                ? new DerivedObject(Derivation.SUB_LIST, list, first, size)
                : null;
    }

    /** Where a sub list begins within the list that has no other behind it, or -1. */
    private static int offsetOf(Object view, int wrappers) {
        for (FieldAccess access : FIELDS.get(view.getClass())) {
            if (access.field.getName().equals(OFFSET_FIELD) && access.field.getType() == int.class) {
                return (int) access.getBits(view);
            }
        }
        if (wrappers > 0) {
            for (Object wrapped : origins(view)) {
                int offset = wrapped instanceof List<?> && wrapped != view ? offsetOf(wrapped, wrappers - 1) : -1;
                if (offset >= 0) {
                    return offset;
                }
            }
        }
        return -1;
    }

    private static List<Object> origins(Object object) {
        List<Object> origins = new ArrayList<>();
        for (FieldAccess access : FIELDS.get(object.getClass())) {
            if (!access.field.getType().isPrimitive()) {
                Object value = access.getReference(object);
                boolean isCollection = value instanceof Map<?, ?> || value instanceof Collection<?>;
                if (value != object && isCollection) {
                    origins.add(value);
                }
            }
        }
        return origins;
    }

    /** Fields that make up what an object of the JDK is; transient ones are caches. */
    private static final ClassValue<List<FieldAccess>> FIELDS = new ClassValue<>() {
        @Override
        protected List<FieldAccess> computeValue(Class<?> type) {
            List<FieldAccess> fields = new ArrayList<>();
            for (Class<?> c = type; c != null && JdkClasses.contain(c); c = c.getSuperclass()) {
                for (Field field : ClassFields.instanceFields(c)) {
                    if (!Modifier.isTransient(field.getModifiers())) {
                        fields.add(new FieldAccess(field));
                    }
                }
            }
            return List.copyOf(fields);
        }
    };

    /** Views are collections whose classes only the JDK names. */
    private static boolean mayBeView(@Nullable Object object) {
        return object instanceof Collection<?>
                && !Modifier.isPublic(object.getClass().getModifiers());
    }

    @SuppressWarnings("ReferenceEquality") // What lies behind a view must be the same object.
    private static boolean isSame(@Nullable Object one, @Nullable Object other, int wrappers) {
        if (one == other) {
            return true;
        }
        if (one == null || other == null || one.getClass() != other.getClass() || !JdkClasses.contain(one.getClass())) {
            return false;
        }
        for (FieldAccess access : FIELDS.get(one.getClass())) {
            if (access.field.getType().isPrimitive()) {
                if (access.getBits(one) != access.getBits(other)) {
                    return false;
                }
            } else {
                Object inOne = access.getReference(one);
                Object inOther = access.getReference(other);
                if (inOne != inOther && !(wrappers > 0 && mayBeView(inOne) && isSame(inOne, inOther, wrappers - 1))) {
                    return false;
                }
            }
        }
        return true;
    }
}
