package org.heapspan.spark.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of plain values in memory, which grows. The forms are those of {@code docs/formats/record-streams.md}. Not thread-safe. */
final class PlainOutput {
    /** Most reducers get a few small records. */
    private static final int FIRST_BYTES = 64;

    /** What a number takes at most; each is written as if it took so much. */
    private static final int MOST_NUMBER_BYTES = 1 + Long.BYTES;

    private static final int BITS_PER_BYTE = 7;

    /** As many bytes as a number can have whose size is in its first byte. */
    private static final int MOST_SIZED_BYTES = 8;

    /** Set in the last byte of a string of ASCII characters. */
    static final int LAST_CHARACTER = 0x80;

    /** What begins another string: no character, as none of those begins with it. */
    static final int OTHER_STRING = 0;

    private byte[] bytes = new byte[FIRST_BYTES];
    private ByteBuffer littleEndian = view();
    private int count;

    private ByteBuffer view() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** How many bytes were written. */
    int count() {
        return count;
    }

    /** How many bytes can be written before it takes more memory. */
    int capacity() {
        return bytes.length;
    }

    /** The bytes that were written, which lie at the beginning. */
    byte[] array() {
        return bytes;
    }

    /** Drops what was written. */
    void clear() {
        count = 0;
    }

    private void reserve(int sizeBytes) {
        if (sizeBytes > bytes.length - count) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, count + sizeBytes));
            littleEndian = view();
        }
    }

    void writeFixed(long value, int sizeBytes) {
        reserve(Long.BYTES);
        littleEndian.putLong(count, value);
        count += sizeBytes;
    }

    void writeSigned(long value) {
        writeNumber(value << 1 ^ value >> 63);
    }

    void writeNumber(long value) {
        reserve(MOST_NUMBER_BYTES);
        int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
        int sizeBytes = (bits + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
        if (sizeBytes <= MOST_SIZED_BYTES) {
            littleEndian.putLong(count, (value << 1 | 1) << sizeBytes - 1);
            count += sizeBytes;
        } else {
            bytes[count++] = 0;
            littleEndian.putLong(count, value);
            count += Long.BYTES;
        }
    }

    void writeString(String value) {
        int length = value.length();
        reserve(length);
        if (length == 0 || value.charAt(0) == OTHER_STRING) {
            writeOtherString(value);
            return;
        }
        byte[] target = bytes;
        int start = count;
        for (int i = 0; i < length; i++) {
            char character = value.charAt(i);
            if (character >= LAST_CHARACTER) {
                writeOtherString(value);
                return;
            }
            target[start + i] = (byte) character;
        }
        target[start + length - 1] |= (byte) LAST_CHARACTER;
        count += length;
    }

    private void writeOtherString(String value) {
        boolean isLatin = value.chars().allMatch(character -> character <= 0xFF);
        byte[] content = isLatin ? value.getBytes(StandardCharsets.ISO_8859_1) : utf16(value);
        reserve(1);
        bytes[count++] = OTHER_STRING;
        writeNumber((long) content.length << 1 | (isLatin ? 0 : 1));
        write(content);
    }

    /** Unlike the encoder of the JDK, this keeps lone surrogates. */
    private static byte[] utf16(String value) {
        ByteBuffer content =
                ByteBuffer.allocate(value.length() * Character.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        content.asCharBuffer().put(value);
        return content.array();
    }

    void writeBytes(byte[] value) {
        writeNumber(value.length);
        write(value);
    }

    private void write(byte[] content) {
        reserve(content.length);
        System.arraycopy(content, 0, bytes, count, content.length);
        count += content.length;
    }
}
