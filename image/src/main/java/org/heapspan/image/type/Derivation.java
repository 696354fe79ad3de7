package org.heapspan.image.type;

import java.io.ObjectStreamClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Function;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * A public method by which one object, the origin, gives another: a map its views, a class its descriptor. Numbers are part of the
 * format.
 */
public enum Derivation {
    KEY_SET(0, Collection.class, Map.class, origin -> ((Map<?, ?>) origin).keySet()),
    VALUES(1, Collection.class, Map.class, origin -> ((Map<?, ?>) origin).values()),
    ENTRY_SET(2, Collection.class, Map.class, origin -> ((Map<?, ?>) origin).entrySet()),
    NAVIGABLE_KEY_SET(
            3, Collection.class, NavigableMap.class, origin -> ((NavigableMap<?, ?>) origin).navigableKeySet()),
    /** With two numbers: the index of its first element in the origin, and its size. */
    SUB_LIST(4, Collection.class, List.class, origin -> {
        throw new IllegalStateException("a sub list has bounds");
    }),
    REVERSED(5, Collection.class, Sequenced.COLLECTION, "reversed", Sequenced.COLLECTION),
    REVERSED_MAP(6, Map.class, Sequenced.MAP, "reversed", Sequenced.MAP),
    SEQUENCED_KEY_SET(7, Collection.class, Sequenced.MAP, "sequencedKeySet", Sequenced.SET),
    SEQUENCED_VALUES(8, Collection.class, Sequenced.MAP, "sequencedValues", Sequenced.COLLECTION),
    SEQUENCED_ENTRY_SET(9, Collection.class, Sequenced.MAP, "sequencedEntrySet", Sequenced.SET),
    CLASS_DESCRIPTOR(
            10, ObjectStreamClass.class, Class.class, origin -> ObjectStreamClass.lookupAny((Class<?>) origin)),
    /** With a number: the elements that it has passed. */
    ITERATOR(11, Iterator.class, Collection.class, origin -> ((Collection<?>) origin).iterator()),
    /** As ITERATOR, by {@code listIterator}. */
    LIST_ITERATOR(12, Iterator.class, List.class, origin -> ((List<?>) origin).listIterator());

    /** Interfaces that JDK 21 has and the one that this is compiled against has not. */
    private static final class Sequenced {
        private static final String COLLECTION = "java.util.SequencedCollection";
        private static final String SET = "java.util.SequencedSet";
        private static final String MAP = "java.util.SequencedMap";
    }

    /** Stands in the image. */
    public final int number;

    /** The public type of what is derived, by which readers admit it. */
    public final Class<?> resultType;

    /** The class of origins; null if this JDK does not have it. */
    private final @Nullable Class<?> originType;

    private final String originName;

    @SuppressWarnings("ImmutableEnumChecker") // Functions without state.
    private final Function<Object, @Nullable Object> method;

    Derivation(int number, Class<?> resultType, Class<?> originType, Function<Object, @Nullable Object> method) {
        this.number = number;
        this.resultType = resultType;
        this.originType = originType;
        this.originName = originType.getName();
        this.method = method;
    }

    Derivation(int number, Class<?> resultType, String originName, String methodName, String returnName) {
        this.number = number;
        this.resultType = resultType;
        this.originName = originName;
        Class<?> found = null;
        MethodHandle handle = null;
        try {
            found = Class.forName(originName);
            handle = MethodHandles.publicLookup()
                    .findVirtual(found, methodName, MethodType.methodType(Class.forName(returnName)));
        } catch (ReflectiveOperationException olderJdk) {
            // What nobody can ask for here is refused where an image holds it.
        }
        this.originType = handle == null ? null : found;
        this.method = calling(handle);
    }

    private static Function<Object, @Nullable Object> calling(@Nullable MethodHandle handle) {
        return origin -> {
            try {
                return handle == null ? null : (Object) handle.invoke(origin);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static final Derivation[] VALUES_BY_NUMBER = values();

    public static @Nullable Derivation ofNumber(int number) {
        return number >= 0 && number < VALUES_BY_NUMBER.length ? VALUES_BY_NUMBER[number] : null;
    }

    static List<Derivation> all() {
        return List.of(VALUES_BY_NUMBER);
    }

    /** Whether an object may be the origin. */
    public boolean suits(Object origin) {
        return originType != null && originType.isInstance(origin);
    }

    /** Whether more than the origin says what is derived: bounds, a position. */
    public boolean hasNumbers() {
        return this == SUB_LIST || isIterator();
    }

    public boolean isIterator() {
        return this == ITERATOR || this == LIST_ITERATOR;
    }

    /** Refuses what newer JDKs derive. */
    public void requireHere() {
        if (originType == null) {
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "the image holds a view that " + originName + " gives, which this JDK lacks; use JDK 21 or newer on"
                            + " this side, or leave reversed and sequenced views out of the graph");
        }
    }

    /** What the origin gives. */
    @Nullable
    public Object from(Object origin) {
        return method.apply(origin);
    }
}
