package org.heapspan.exchange.wire;

import java.util.Arrays;
import java.util.List;

/**
 * A group, as servers that replicate it write it down.
 *
 * @param group what it is
 * @param reservedBytes how long its space is
 * @param needed addresses of groups that live as long as it does
 */
public record GroupRecord(GroupDescription group, long reservedBytes, List<Long> needed) {
    /** Takes a copy. */
    public GroupRecord {
        needed = List.copyOf(needed);
    }

    /** Where it begins. */
    public long address() {
        return group.address();
    }

    void write(BodyWriter body) {
        writeNeeded(body, needed);
        body.number(reservedBytes);
        group.write(body);
    }

    static GroupRecord read(BodyReader body) throws MalformedFrameException {
        List<Long> needed = readNeeded(body);
        long reservedBytes = body.longNumber();
        GroupRecord read = new GroupRecord(GroupDescription.read(body), reservedBytes, needed);
        if (reservedBytes < read.group.sizeBytes()) {
            throw new MalformedFrameException("a group at address " + read.address() + " has " + read.group.sizeBytes()
                    + " bytes in a space of " + reservedBytes);
        }
        return read;
    }

    static void writeNeeded(BodyWriter body, List<Long> needed) {
        GroupDescription.writeNumbers(
                body, needed.stream().mapToLong(Long::longValue).toArray());
    }

    static List<Long> readNeeded(BodyReader body) throws MalformedFrameException {
        return Arrays.stream(GroupDescription.readNumbers(body)).boxed().toList();
    }
}
