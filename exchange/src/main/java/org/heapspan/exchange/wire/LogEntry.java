package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change in the log of servers that replicate it. Changes of a run count in the order of their numbers, and only until the next run begins.
 *
 * @param run of the leader that makes it
 * @param sequence 0 for the begin of the run, then one more for each change
 * @param number that the client has given to it, or null
 * @param change what changes, or null for the begin of a run
 */
public record LogEntry(
        long run,
        long sequence,
        @Nullable UUID number,
        @Nullable Change change) {
    private static final byte NO_CHANGE = 0;

    /** A leader begins. Nothing that former ones have not done by then counts later. */
    public static LogEntry begin(long run) {
        return new LogEntry(run, 0, null, null);
    }

    /** The bytes of the entry. */
    public byte[] write() {
        BodyWriter body = new BodyWriter();
        body.number(run);
        body.number(sequence);
        body.flag(number != null);
        if (number != null) {
            body.number(number.getMostSignificantBits());
            body.number(number.getLeastSignificantBits());
        }
        if (change == null) {
            body.number(NO_CHANGE);
        } else {
            body.rest(change.write());
        }
        ByteBuffer written = body.written();
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    /** Reads an entry that fills a buffer. */
    public static LogEntry read(ByteBuffer bytes) throws MalformedFrameException {
        BodyReader body = new BodyReader(bytes);
        long run = body.longNumber();
        long sequence = body.longNumber();
        UUID number = body.flag() ? new UUID(body.longNumber(), body.longNumber()) : null;
        ByteBuffer rest = body.rest();
        boolean isBegin = rest.remaining() == 1 && rest.get(rest.position()) == NO_CHANGE;
        if (isBegin != (sequence == 0)) {
            throw new MalformedFrameException("entry " + sequence + " of run " + run + " is malformed");
        }
        return new LogEntry(run, sequence, number, isBegin ? null : Change.read(rest));
    }
}
