package org.heapspan.spark.statistics;

import java.util.concurrent.atomic.LongAdder;

/** Strings that have numbers in this JVM, and how often a number was written in their place. Thread-safe. */
public final class NumberedKeys {
    /** Those of this JVM, of all applications that run in it one after the other. */
    public static final NumberedKeys OF_THIS_JVM = new NumberedKeys();

    private final LongAdder known = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final LongAdder savedCharacters = new LongAdder();

    /** Keys got their numbers. */
    public void known(int keys) {
        known.add(keys);
    }

    /** A number was written in the place of a string. */
    public void written(int characters) {
        written.increment();
        savedCharacters.add(characters);
    }

    public long knownCount() {
        return known.sum();
    }

    public long writtenCount() {
        return written.sum();
    }

    public long savedCharacters() {
        return savedCharacters.sum();
    }
}
