package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that servers replicate. Changes of a run count in the order of their numbers, and only until the next run begins.
 *
 * @param run of the leader that makes it
 * @param sequence 0 for the begin of the run, then one more for each change
 * @param number that the client has given to it, or null
 * @param record what changes, or null for the begin of a run
 */
public record KeyChange(
        long run,
        long sequence,
        @Nullable UUID number,
        @Nullable KeyRecord record) {
    /** A leader begins. Nothing that former ones have not done by then counts later. */
    public static KeyChange begin(long run) {
        return new KeyChange(run, 0, null, null);
    }

    /** The bytes of the change. */
    public byte[] write() {
        BodyWriter body = new BodyWriter();
        body.number(run);
        body.number(sequence);
        body.flag(number != null);
        if (number != null) {
            body.number(number.getMostSignificantBits());
            body.number(number.getLeastSignificantBits());
        }
        body.flag(record != null);
        if (record != null) {
            body.rest(record.write());
        }
        ByteBuffer written = body.written();
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    /** Reads a change that fills a buffer. */
    public static KeyChange read(ByteBuffer bytes) throws MalformedFrameException {
        BodyReader body = new BodyReader(bytes);
        long run = body.longNumber();
        long sequence = body.longNumber();
        UUID number = body.flag() ? new UUID(body.longNumber(), body.longNumber()) : null;
        KeyRecord record = body.flag() ? KeyRecord.read(body.rest()) : null;
        body.finish();
        if ((record == null) != (sequence == 0)) {
            throw new MalformedFrameException("change " + sequence + " of run " + run + " is malformed");
        }
        return new KeyChange(run, sequence, number, record);
    }
}
