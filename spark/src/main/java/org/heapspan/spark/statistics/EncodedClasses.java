package org.heapspan.spark.statistics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Of which classes the records are that this JVM has encoded: an estimate from samples. A record is of the class of its root; a pair of the
 * class of its value, or of both classes if that is a pair again; an array of objects of that of its first element. Thread-safe.
 */
public final class EncodedClasses {
    /** So many are told apart; the others are {@link #OTHERS}. */
    public static final int MOST_CLASSES = 256;

    public static final String OTHERS = "(others)";

    private static final Map<String, Sums> BY_NAME = new ConcurrentHashMap<>();

    private EncodedClasses() {}

    private static final class Sums {
        private final LongAdder records = new LongAdder();
        private final LongAdder bytes = new LongAdder();
    }

    /**
     * Adds a sample.
     *
     * @param record a record
     * @param records for how many it stands
     * @param bytes how many those have together
     */
    public static void add(@Nullable Object record, long records, long bytes) {
        Sums sums = of(nameOf(record));
        sums.records.add(records);
        sums.bytes.add(bytes);
    }

    private static Sums of(String name) {
        Sums known = BY_NAME.get(name);
        if (known != null) {
            return known;
        }
        String kept = BY_NAME.size() < MOST_CLASSES ? name : OTHERS;
        return BY_NAME.computeIfAbsent(kept, any -> new Sums());
    }

    static String nameOf(@Nullable Object record) {
        if (!(record instanceof Tuple2<?, ?> pair)) {
            return nameOfClass(record);
        }
        return pair._2() instanceof Tuple2<?, ?> value
                ? "(" + nameOfClass(value._1()) + ", " + nameOfClass(value._2()) + ")"
                : nameOfClass(pair._2());
    }

    private static String nameOfClass(@Nullable Object told) {
        if (told == null) {
            return "null";
        }
        if (told instanceof Object[] array && array.length > 0 && array[0] != null) {
            return array[0].getClass().getTypeName() + "[]";
        }
        return told.getClass().getTypeName();
    }

    /** Records and bytes so far, by name; the time is not known. */
    public static Map<String, Work> byName() {
        Map<String, Work> snapshot = new HashMap<>();
        BY_NAME.forEach((name, sums) -> snapshot.put(name, new Work(sums.records.sum(), sums.bytes.sum(), 0)));
        return snapshot;
    }

    static void startOver() {
        BY_NAME.clear();
    }
}
