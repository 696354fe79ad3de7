package org.heapspan.image.graph;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Objects that cannot change, so that a copy may refer to the same ones as its original. */
public final class ImmutableValue {
    /** All of them final. */
    private static final Set<Class<?>> CLASSES = Set.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Instant.class,
            Duration.class,
            UUID.class);

    private ImmutableValue() {}

    /** Whether all objects are of this kind that a field of a type can hold. */
    public static boolean isDeclaredBy(Class<?> type) {
        return CLASSES.contains(type) || type.isEnum();
    }

    /** Whether an object is of this kind, or null. */
    static boolean is(@Nullable Object value) {
        if (value == null || value instanceof Enum) {
            return true;
        }
        // The frequent ones without a look into a table.
        Class<?> type = value.getClass();
        return type == String.class
                || type == Long.class
                || type == Integer.class
                || type == Double.class
                || type == LocalDate.class
                || type == BigDecimal.class
                || type == BigInteger.class
                || CLASSES.contains(type);
    }
}
