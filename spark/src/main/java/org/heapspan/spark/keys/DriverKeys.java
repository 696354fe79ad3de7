package org.heapspan.spark.keys;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The keys of an application that have numbers, at its driver, which gives them out. It lives as long as the application. Thread-safe. */
public final class DriverKeys {
    /** What a key takes in an executor beside its characters: the string, its number, its place in a table. */
    static final int KEY_BYTES = 100;

    /** Of an answer: below what Spark's messages may have ({@code spark.rpc.message.maxSize}), and below what would block a driver for long. */
    private static final int MOST_ANSWERED_CHARACTERS = 2 << 20;

    private final UUID id = UUID.randomUUID();
    private final long mostBytes;
    private final List<String> keys = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private long bytes;
    private boolean full;

    /**
     * Begins with none.
     *
     * @param mostBytes how much the keys may take in each JVM
     */
    public DriverKeys(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    public UUID id() {
        return id;
    }

    /** How many bytes a key counts for. */
    static long sizeOf(String key) {
        return (long) KEY_BYTES + key.length();
    }

    /** What an executor is told. */
    public synchronized KeysAnswer answer(KeysQuestion question) {
        if (!id.equals(question.keys())) {
            return new KeysAnswer(0, List.of(), 0, true);
        }
        for (String key : question.repeated() == null ? List.<String>of() : question.repeated()) {
            if (!full && known.add(key)) {
                keys.add(key);
                bytes += sizeOf(key);
                full = bytes >= mostBytes;
            }
        }
        int first = Math.max(0, question.knownCount());
        List<String> told = new ArrayList<>();
        long characters = 0;
        for (int number = first; number < keys.size() && characters < MOST_ANSWERED_CHARACTERS; number++) {
            told.add(keys.get(number));
            characters += sizeOf(keys.get(number));
        }
        return new KeysAnswer(first, told, keys.size(), full);
    }
}
