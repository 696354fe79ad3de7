package org.heapspan.benchmarks.data;

import java.util.List;

/**
 * One shape of data: its records, the same ones in every run, and what a peer has to know to handle them.
 *
 * <p>Records share nothing with each other but enum constants and, within a record, share what {@link #identity()} says.
 * Strings are distinct objects with distinct content, so that no peer gains from remembering the last one.
 */
public interface DataSet {
    /** Records of a chunk, if a record is small. */
    int CHUNK_RECORDS = 1000;

    /** The name on the command line: lower case, no spaces. */
    String name();

    /** What one record is, for tables and plots. */
    String title();

    /** New records, equal from call to call; {@value #CHUNK_RECORDS} of them unless the title says otherwise. */
    Object[] records();

    /** The classes a peer registers, in an order that all peers use; enums included, boxes and strings not. */
    List<Class<?>> classes();

    /** What sharing of references a record has inside: where a peer without references would lose identity or fail. */
    default String identity() {
        return "tree: nothing is shared, a peer without references loses nothing";
    }

    /** Tells whether a decoded record has the classes and the values of the original. */
    default boolean same(Object original, Object decoded) {
        return Graphs.difference(original, decoded, false) == null;
    }

    /** Tells whether the references of a decoded record are shared as in the original, too. */
    default boolean sameIdentity(Object original, Object decoded) {
        return Graphs.difference(original, decoded, true) == null;
    }

    /** Touches every value of a record and returns a checksum over them. */
    default long consume(Object record) {
        return Graphs.checksum(record);
    }
}
