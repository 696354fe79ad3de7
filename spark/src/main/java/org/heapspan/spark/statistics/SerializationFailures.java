package org.heapspan.spark.statistics;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/**
 * What this JVM could not encode or decode: how often, by kind and class, and the last case of each. Thread-safe.
 */
public final class SerializationFailures {
    /** So many are told apart. */
    public static final int MOST_KINDS = 100;

    private static final int LONGEST_TEXT = 1000;

    private static final String VERB = " cannot be copied: ";
    private static final String REMEDY = "; make the field";

    private static final Map<Kind, Count> COUNTS = new ConcurrentHashMap<>();

    private SerializationFailures() {}

    /**
     * What is counted together.
     *
     * @param category of the exception
     * @param className class that was refused; empty where the message alone says what failed
     */
    public record Kind(String category, String className) implements Serializable {}

    /**
     * A case.
     *
     * @param path from the record to the object that was refused; empty if it is not known
     * @param reason why, or the message of the exception
     */
    public record Example(String path, String reason) implements Serializable {}

    /**
     * Cases of one kind.
     *
     * @param count how many
     * @param last the latest
     */
    public record Cases(long count, Example last) {}

    private static final class Count {
        private final LongAdder cases = new LongAdder();
        private volatile Example last;

        Count(Example first) {
            last = first;
        }
    }

    /** Counts a failure. */
    public static void add(HeapspanException failure) {
        String message = String.valueOf(failure.getMessage());
        int verb = message.indexOf(VERB);
        if (failure.category() != Category.CLASS_REFUSED || verb < 0) {
            add(new Kind(failure.category().name(), ""), new Example("", cut(message)));
            return;
        }
        // "root.job[3]: java.lang.Thread cannot be copied: it is a running thread; make the field transient, ..."
        int nameBegin = message.lastIndexOf(' ', verb - 1) + 1;
        int reasonBegin = verb + VERB.length();
        int reasonEnd = message.indexOf(REMEDY, reasonBegin);
        String path = nameBegin < 2 ? "" : message.substring(0, nameBegin - 2);
        String reason = message.substring(reasonBegin, reasonEnd < 0 ? message.length() : reasonEnd);
        add(
                new Kind(failure.category().name(), cut(message.substring(nameBegin, verb))),
                new Example(cut(path), cut(reason)));
    }

    private static void add(Kind kind, Example example) {
        Count count = COUNTS.get(kind);
        if (count == null) {
            Kind kept = COUNTS.size() < MOST_KINDS ? kind : new Kind(kind.category(), "");
            count = COUNTS.computeIfAbsent(kept, any -> new Count(example));
        }
        count.last = example;
        count.cases.increment();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
    }

    /** All so far. */
    public static Map<Kind, Cases> byKind() {
        Map<Kind, Cases> snapshot = new HashMap<>();
        COUNTS.forEach((kind, count) -> snapshot.put(kind, new Cases(count.cases.sum(), count.last)));
        return snapshot;
    }

    static void startOver() {
        COUNTS.clear();
    }
}
