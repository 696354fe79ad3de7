package org.heapspan.benchmarks;

import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.peer.Peers;

/**
 * What a round trip before the timing showed: only a peer that brings back what went in is timed.
 *
 * @param correct whether all records came back with the same classes, values and, within each record, the same sharing
 * @param remark empty, or what went wrong
 */
record Verdict(boolean correct, String remark) {
    static {
        // A stack overflow inside a class initializer leaves the class unusable for good. Kryo builds its message with
        // this.
        try {
            Class.forName("java.lang.StringBuffer");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Decodes what the subject has encoded and compares it with the records. What only copies bytes brings nothing back and passes. */
    static Verdict of(DataSet set, Object[] records, Subject subject) {
        if (Peers.family(subject.peer.name()) == Peers.Family.RAW_COPY) {
            return new Verdict(true, "");
        }
        Object[] decoded;
        try {
            decoded = subject.decodeAll();
        } catch (RuntimeException | StackOverflowError e) {
            return failure(e);
        }
        if (decoded.length != records.length) {
            return new Verdict(false, "wrong result: " + records.length + " records became " + decoded.length);
        }
        for (int i = 0; i < records.length; i++) {
            if (!set.same(records[i], decoded[i]) || set.consume(records[i]) != set.consume(decoded[i])) {
                return new Verdict(false, "wrong result in record " + i);
            }
            if (!set.sameIdentity(records[i], decoded[i])) {
                return new Verdict(false, "wrong result in record " + i + ": identity lost");
            }
        }
        return new Verdict(true, "");
    }

    /** The verdict on a peer that threw. */
    static Verdict failure(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return new Verdict(false, "fails: " + cause.getClass().getSimpleName());
    }

    @Override
    public String toString() {
        return remark;
    }
}
