package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the values of a message, the most significant byte first. */
public final class BodyWriter {
    private static final int LEAST_BYTES = 256;

    private ByteBuffer buffer = ByteBuffer.allocate(LEAST_BYTES);

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
            buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity)).position(buffer.position());
        }
        return buffer;
    }

    void clear() {
        buffer.clear();
    }

    void flag(boolean value) {
        room(1).put((byte) (value ? 1 : 0));
    }

    void number(byte value) {
        room(1).put(value);
    }

    void number(int value) {
        room(Integer.BYTES).putInt(value);
    }

    void number(long value) {
        room(Long.BYTES).putLong(value);
    }

    /** The length is known to the reader. */
    void bytes(byte[] value) {
        room(value.length).put(value);
    }

    /** The rest of the message. */
    void rest(ByteBuffer value) {
        room(value.remaining()).put(value.duplicate());
    }

    void text(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > BodyReader.MOST_TEXT_BYTES) {
            throw new IllegalArgumentException(
                    "a text of " + bytes.length + " bytes, expected at most " + BodyReader.MOST_TEXT_BYTES);
        }
        room(Short.BYTES).putShort((short) bytes.length);
        bytes(bytes);
    }

    ByteBuffer written() {
        return buffer.duplicate().flip();
    }

    int length() {
        return buffer.position();
    }
}
