package org.heapspan.image;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.heapspan.image.TypeDescription.Kind;
import org.heapspan.image.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * Classes of the JDK of which a copy of some fields is a copy of the object, in every JDK whose class has just these fields and
 * the listed caches. In a JDK where it has others the class is not vetted: its objects then travel beside the copies.
 *
 * <p>Not listed on purpose: whatever holds hash codes of its keys, order of its keys, or a state spread over fields that another
 * thread may change one after the other (maps, sets, queues).
 */
final class RawVetted {
    private RawVetted() {}

    private record Expected(Map<String, Class<?>> copied, List<String> caches) {}

    private static final Map<Class<?>, Expected> EXPECTED = new HashMap<>();

    static {
        expect(Object.class, Map.of());
        expect(String.class, fields("value", byte[].class, "coder", byte.class, "hash", int.class), "hashIsZero");
        expect(Boolean.class, fields("value", boolean.class));
        expect(Byte.class, fields("value", byte.class));
        expect(Short.class, fields("value", short.class));
        expect(Character.class, fields("value", char.class));
        expect(Integer.class, fields("value", int.class));
        expect(Long.class, fields("value", long.class));
        expect(Float.class, fields("value", float.class));
        expect(Double.class, fields("value", double.class));
        expect(ArrayList.class, fields("elementData", Object[].class, "size", int.class), "modCount");
        expect(
                BigInteger.class,
                fields("signum", int.class, "mag", int[].class),
                "bitCountPlusOne",
                "bitLengthPlusOne",
                "magBitLengthPlusOne",
                "lowestSetBitPlusTwo",
                "firstNonzeroIntNumPlusTwo",
                "numberOfTrailingZeroIntsPlusTwo");
        expect(
                BigDecimal.class,
                fields("intVal", BigInteger.class, "scale", int.class, "intCompact", long.class),
                "precision",
                "stringCache");
        expect(UUID.class, fields("mostSigBits", long.class, "leastSigBits", long.class));
        expect(LocalDate.class, fields("year", int.class, "month", short.class, "day", short.class));
        expect(
                LocalTime.class,
                fields("hour", byte.class, "minute", byte.class, "second", byte.class, "nano", int.class));
        expect(LocalDateTime.class, fields("date", LocalDate.class, "time", LocalTime.class));
        expect(Instant.class, fields("seconds", long.class, "nanos", int.class));
        expect(Duration.class, fields("seconds", long.class, "nanos", int.class));
        expect(AtomicBoolean.class, fields("value", int.class));
        expect(AtomicInteger.class, fields("value", int.class));
        expect(AtomicLong.class, fields("value", long.class));
        expect(AtomicReference.class, fields("value", Object.class));
    }

    private static Map<String, Class<?>> fields(Object... namesAndTypes) {
        Map<String, Class<?>> fields = new TreeMap<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.put((String) namesAndTypes[i], (Class<?>) namesAndTypes[i + 1]);
        }
        return fields;
    }

    private static void expect(Class<?> type, Map<String, Class<?>> copied, String... caches) {
        EXPECTED.put(type, new Expected(copied, List.of(caches)));
    }

    /** The fields that are copied, or null if the class is not vetted in this JDK. */
    static @Nullable TypeDescription describe(Class<?> type) {
        Expected expected = EXPECTED.get(type);
        if (expected == null || !RawForms.hasFields(type, expected.copied, expected.caches)) {
            return null;
        }
        List<TypeDescription.Field> fields = new ArrayList<>();
        expected.copied.forEach((name, fieldType) ->
                fields.add(new TypeDescription.Field(TypeDescription.Field.codeOf(fieldType), name)));
        List<Level> levels = fields.isEmpty() ? List.of() : List.of(new Level(type.getName(), 0, List.copyOf(fields)));
        return new TypeDescription(Kind.FIELDS, type.getName(), List.of(), levels);
    }
}
