package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A change of a key, as a server that keeps its keys writes it down.
 *
 * @param name the key
 * @param group what it leads to, or null if it was removed
 * @param committedMillis when it was committed, in milliseconds since 1970
 * @param reservedBytes how long the space of the group is
 */
public record KeyRecord(String name, @Nullable GroupDescription group, long committedMillis, long reservedBytes) {
    /** The bytes of the record. */
    public ByteBuffer write() {
        BodyWriter body = new BodyWriter();
        body.text(name);
        body.flag(group != null);
        if (group != null) {
            group.write(body);
            body.number(committedMillis);
            body.number(reservedBytes);
        }
        return body.written();
    }

    /** Reads a record that fills a buffer. */
    public static KeyRecord read(ByteBuffer bytes) throws MalformedFrameException {
        BodyReader body = new BodyReader(bytes);
        String name = body.text();
        KeyRecord read = body.flag()
                ? new KeyRecord(name, GroupDescription.read(body), body.longNumber(), body.longNumber())
                : new KeyRecord(name, null, 0, 0);
        body.finish();
        GroupDescription group = read.group;
        if (group != null && (read.reservedBytes < group.sizeBytes() || group.version() < 1)) {
            throw new MalformedFrameException("key '" + name + "' has version " + group.version() + " and "
                    + group.sizeBytes() + " bytes in a space of " + read.reservedBytes);
        }
        return read;
    }
}
