package org.heapspan.h2;

import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.heapspan.ObjectLinks;
import org.jspecify.annotations.Nullable;

/**
 * Objects that a program has once and tells by identity: what is read of the second heap refers to them, as what is on the Java heap does. Thread-safe.
 */
final class ConstantObjects {
    /** Numbers below it are those of shared roots. */
    static final long FIRST_NUMBER = 1L << 60;

    private final Function<Class<?>, @Nullable Predicate<Object>> others;
    private final AtomicLong nextNumber = new AtomicLong(FIRST_NUMBER);
    private final WeakIdentityMap<Long> byObject = new WeakIdentityMap<>();
    private final ConcurrentHashMap<Long, Supplier<@Nullable Object>> byNumber = new ConcurrentHashMap<>();

    /**
     * Begins.
     *
     * @param others which instances of a class are constants besides those in its static final fields; asked once for each class
     */
    ConstantObjects(Function<Class<?>, @Nullable Predicate<Object>> others) {
        this.others = others;
    }

    /** What tells constants of a class from its other instances; null if it has none. */
    ObjectLinks.@Nullable Constants of(Class<?> type) {
        Predicate<Object> told = others.apply(type);
        StaticConstants inFields = StaticConstants.of(type);
        if (told == null && inFields == null) {
            return null;
        }
        return instance -> {
            if (inFields != null && inFields.holds(instance)) {
                // Whoever reads it needs the class, which holds the object.
                return numberOf(instance, false);
            }
            return told != null && told.test(instance) ? numberOf(instance, true) : ObjectLinks.NONE;
        };
    }

    private long numberOf(Object object, boolean held) {
        Long known = byObject.get(object);
        if (known != null) {
            return known;
        }
        synchronized (byObject) {
            Long first = byObject.get(object);
            if (first != null) {
                return first;
            }
            long number = nextNumber.getAndIncrement();
            byNumber.put(number, held ? () -> object : new WeakReference<>(object)::get);
            byObject.put(object, number);
            return number;
        }
    }

    /** The object of a number, or null if there is none, or none any more. */
    @Nullable
    Object get(long number) {
        Supplier<@Nullable Object> reference = byNumber.get(number);
        return reference == null ? null : reference.get();
    }
}
