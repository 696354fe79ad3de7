package org.heapspan.benchmarks.flink.queries;

import java.util.stream.Stream;

/**
 * The result of a query without its rows.
 *
 * @param rows how many there are
 * @param hash of all of them, in any order
 */
record Answer(long rows, long hash) {
    static final Answer NONE = new Answer(0, 0);

    static Answer of(Stream<String> rows) {
        return rows.map(Answer::of).reduce(NONE, Answer::plus);
    }

    /** The answer that has one row. */
    static Answer of(String row) {
        return of(row.hashCode());
    }

    /** The answer that has one row, of which this is a hash. */
    static Answer of(long hashOfRow) {
        // The hashes of strings with two characters exchanged would have the same sum. These have not.
        long mixed = hashOfRow * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 31) * 0xBF58476D1CE4E5B9L;
        return new Answer(1, mixed ^ mixed >>> 29);
    }

    Answer plus(Answer other) {
        return new Answer(rows + other.rows, hash + other.hash);
    }
}
