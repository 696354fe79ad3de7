package org.heapspan.exchange.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the values of a message, which anybody may have written. */
final class BodyReader {
    static final int MOST_TEXT_BYTES = 4096;

    private final ByteBuffer body;

    BodyReader(ByteBuffer body) {
        this.body = body;
    }

    private void need(int bytes) throws MalformedFrameException {
        if (body.remaining() < bytes) {
            throw new MalformedFrameException(
                    "a message ends early: " + body.remaining() + " bytes left, expected " + bytes);
        }
    }

    boolean flag() throws MalformedFrameException {
        byte value = octet();
        if (value != 0 && value != 1) {
            throw new MalformedFrameException("a truth value is " + value + ", expected 0 or 1");
        }
        return value == 1;
    }

    byte octet() throws MalformedFrameException {
        need(1);
        return body.get();
    }

    int number() throws MalformedFrameException {
        need(Integer.BYTES);
        return body.getInt();
    }

    long longNumber() throws MalformedFrameException {
        need(Long.BYTES);
        return body.getLong();
    }

    /** An address, of which the least is 0 if there may be none, and otherwise 1. */
    long address(long least) throws MalformedFrameException {
        long address = longNumber();
        if (address < least) {
            throw new MalformedFrameException("an address is " + address + ", expected at least " + least);
        }
        return address;
    }

    /** A number of things, each of which takes some bytes of this message. */
    int count(int bytesOfEach) throws MalformedFrameException {
        int count = number();
        if (count < 0 || count > body.remaining() / bytesOfEach) {
            throw new MalformedFrameException(
                    "a message announces " + count + " entries, but has " + body.remaining() + " more bytes");
        }
        return count;
    }

    byte[] bytes(int length) throws MalformedFrameException {
        need(length);
        byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /** All that is left, in the memory of the frame. */
    ByteBuffer rest() {
        ByteBuffer rest = body.slice();
        body.position(body.limit());
        return rest;
    }

    String text() throws MalformedFrameException {
        need(Short.BYTES);
        int length = Short.toUnsignedInt(body.getShort());
        if (length > MOST_TEXT_BYTES) {
            throw new MalformedFrameException("a text of " + length + " bytes, expected at most " + MOST_TEXT_BYTES);
        }
        need(length);
        try {
            ByteBuffer bytes = body.slice(body.position(), length);
            body.position(body.position() + length);
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException | BufferUnderflowException e) {
            throw new MalformedFrameException("a text is no UTF-8");
        }
    }

    void finish() throws MalformedFrameException {
        if (body.hasRemaining()) {
            throw new MalformedFrameException("a message has " + body.remaining() + " bytes too many");
        }
    }
}
