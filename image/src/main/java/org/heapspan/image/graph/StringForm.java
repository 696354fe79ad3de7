package org.heapspan.image.graph;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * The form of a string in an image: a header {@code (bytes << 1 | coder) + 3} and the bytes. Coder 0 is ISO 8859-1, coder 1 is UTF-16,
 * little endian. The JDK has the same two forms in memory (JEP 254), so writing is a copy.
 */
public final class StringForm {
    private StringForm() {}

    private static final long VALUE_OFFSET = Access.offsetOf(String.class, "value", byte[].class);
    private static final long CODER_OFFSET = Access.offsetOf(String.class, "coder", byte.class);
    private static final boolean RAW = VALUE_OFFSET >= 0 && CODER_OFFSET >= 0;
    /** Whether strings can be made of their parts, and this JVM keeps ISO 8859-1 ones in a byte a character (-XX:+CompactStrings). */
    public static final boolean COMPACT = RAW && Access.raw().getByte("a", CODER_OFFSET) == 0;
    /** Strings up to this size are written as one unit. */
    private static final int UNIT_BYTES = 2 << 10;

    /** Whether the insides of a string are within reach and of the form that is known here. */
    public static boolean readsInsides() {
        return RAW;
    }

    /** Whether a string has its characters, and its insides fit together: a known coder, and whole characters. */
    public static boolean isSound(String string) {
        RawMemory raw = Access.raw();
        byte[] value = (byte[]) raw.getReference(string, VALUE_OFFSET);
        int coder = raw.getByte(string, CODER_OFFSET);
        return value != null && (coder == 0 || coder == 1 && (value.length & 1) == 0);
    }

    /** Gives a string the form that strings of its characters have in this JVM. */
    @SuppressWarnings("deprecation") // As in readSlow.
    public static void convert(String string) {
        RawMemory raw = Access.raw();
        byte[] value = (byte[]) raw.getReference(string, VALUE_OFFSET);
        if (value == null) {
            throw new IllegalStateException("a string without a value");
        }
        boolean wide = raw.getByte(string, CODER_OFFSET) == 1;
        String here = wide ? ofChars(value) : new String(value, 0, 0, value.length);
        raw.putReference(string, VALUE_OFFSET, raw.getReference(here, VALUE_OFFSET));
        raw.putByte(string, CODER_OFFSET, raw.getByte(here, CODER_OFFSET));
    }

    public static void write(ByteWriter writer, String string) {
        if (RAW) {
            RawMemory raw = Access.raw();
            byte[] value = (byte[]) raw.getReference(string, VALUE_OFFSET);
            if (value == null) {
                throw new IllegalStateException("a string without a value");
            }
            writeForm(writer, value, raw.getByte(string, CODER_OFFSET));
        } else {
            writePortable(writer, string);
        }
    }

    /** As {@link #write}, at the caller's position; returns the position behind the string. */
    public static int writeAt(ByteWriter writer, String string, int position) {
        if (RAW) {
            RawMemory raw = Access.raw();
            byte[] value = (byte[]) raw.getReference(string, VALUE_OFFSET);
            if (value != null && value.length <= UNIT_BYTES) {
                int length = value.length;
                int header = (length << 1 | raw.getByte(string, CODER_OFFSET)) + ImageFormat.STRING_FIRST_HEADER;
                int p = writer.reserveAt(position, length + ImageFormat.NUMBER_LIMIT_BYTES);
                byte[] buffer = writer.buffer;
                p = ImageFormat.putNumber(buffer, p, header);
                System.arraycopy(value, 0, buffer, p, length);
                return p + length;
            }
        }
        writer.position = position;
        write(writer, string);
        return writer.position;
    }

    private static final byte[] NO_BYTES = {};

    /** The bytes of a string, for writing several at once; empty for null. */
    public static byte[] valueOf(@Nullable String string) {
        if (string == null) {
            return NO_BYTES;
        }
        byte[] value = (byte[]) Access.raw().getReference(string, VALUE_OFFSET);
        return value == null ? NO_BYTES : value;
    }

    /** Whether strings of so many bytes in all fit a unit. */
    public static boolean fitUnit(long sizeBytes) {
        return sizeBytes <= UNIT_BYTES;
    }

    /** Makes room for strings that fit a unit; returns the position to write at. */
    public static int reserveUnit(ByteWriter writer, long sizeBytes, int count, int position) {
        return fitUnit(sizeBytes)
                ? writer.reserveAt(position, (int) sizeBytes + count * ImageFormat.NUMBER_LIMIT_BYTES)
                : position;
    }

    /**
     * Writes a string slot.
     *
     * @param bits as for {@link ImageWriter#writeString}
     * @param value the string's {@link #valueOf bytes}
     * @param reserved whether the room for it has been reserved
     * @return the position behind it
     */
    public static int writeValueAt(
            ImageWriter writer, @Nullable String string, int bits, byte[] value, boolean reserved, int position) {
        if (!reserved) {
            return writer.writeStringAt(string, bits, position);
        }
        byte[] buffer = writer.buffer;
        if (string == null) {
            return ImageFormat.putNumber(buffer, position, ImageFormat.STRING_NULL);
        }
        int known = writer.track(string, bits);
        if (known >= 0) {
            return writer.writeKnownStringAt(known, position);
        }
        int length = value.length;
        int header = (length << 1 | Access.raw().getByte(string, CODER_OFFSET)) + ImageFormat.STRING_FIRST_HEADER;
        int p = ImageFormat.putNumber(buffer, position, header);
        System.arraycopy(value, 0, buffer, p, length);
        return p + length;
    }

    private static void writeForm(ByteWriter writer, byte[] value, int coder) {
        int length = value.length;
        long header = ((long) length << 1 | coder) + ImageFormat.STRING_FIRST_HEADER;
        if (length <= UNIT_BYTES) {
            int p = writer.reserve(length + ImageFormat.NUMBER_LIMIT_BYTES);
            byte[] buffer = writer.buffer;
            p = ImageFormat.putNumber(buffer, p, header);
            System.arraycopy(value, 0, buffer, p, length);
            writer.position = p + length;
        } else {
            writer.writeNumber(header);
            writer.writeBytes(value, 0, length);
        }
    }

    @SuppressWarnings("deprecation") // getBytes(int, int, byte[], int) copies ISO 8859-1 without an encoder.
    private static void writePortable(ByteWriter writer, String string) {
        int length = string.length();
        boolean wide = false;
        for (int i = 0; i < length; i++) {
            if (string.charAt(i) > 0xFF) {
                wide = true;
                break;
            }
        }
        if (wide) {
            byte[] value = new byte[Math.multiplyExact(length, 2)];
            for (int i = 0; i < length; i++) {
                ImageFormat.SHORT.set(value, 2 * i, (short) string.charAt(i));
            }
            writeForm(writer, value, 1);
        } else {
            byte[] value = new byte[length];
            string.getBytes(0, length, value, 0);
            writeForm(writer, value, 0);
        }
    }

    /**
     * Reads the string that a header announces.
     *
     * @param form {@code bytes << 1 | coder}
     */
    public static String read(FrameReader reader, long form) {
        long sizeBytes = form >>> 1;
        if (!COMPACT || sizeBytes > reader.limit - reader.position) {
            return readSlow(reader, sizeBytes, (form & 1) != 0);
        }
        int p = reader.position;
        int length = (int) sizeBytes;
        int coder = (int) form & 1;
        // Looked at where the bytes come from: the processor would have to wait for what has just been stored.
        if (coder != 0 && ((length & 1) != 0 || !holdsWide(reader.buffer, p, length))) {
            return readSlow(reader, sizeBytes, true);
        }
        // An array that is filled at once, which the JIT does not zero before.
        byte[] value = new byte[length];
        System.arraycopy(reader.buffer, p, value, 0, length);
        reader.position = p + length;
        return make(value, coder);
    }

    /**
     * Makes a string around its value, as the JDK's own constructors do. The fence behind such a constructor comes later
     * ({@link #publish}).
     */
    private static String make(byte[] value, int coder) {
        String string = (String) Access.allocate(String.class);
        Access.raw().putReference(string, VALUE_OFFSET, value);
        Access.raw().putByte(string, CODER_OFFSET, (byte) coder);
        return string;
    }

    /**
     * What constructors that set final fields do at their end, once for all strings made so far. To be called before code of the
     * user sees them; not for each string, because the JIT keeps nothing in registers beyond it.
     */
    static void publish() {
        if (COMPACT) {
            Access.raw().storeFence();
        }
    }

    /** Whether a character needs two bytes. Without one the string would equal no other of the same characters. */
    private static boolean holdsWide(byte[] utf16, int offset, int sizeBytes) {
        for (int i = offset + sizeBytes - 1; i > offset; i -= 2) {
            if (utf16[i] != 0) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("deprecation")
    private static String readSlow(FrameReader reader, long sizeBytes, boolean wide) {
        if (sizeBytes < 0 || sizeBytes > Integer.MAX_VALUE - 16 || (wide && (sizeBytes & 1) != 0)) {
            throw reader.malformed("a string has " + sizeBytes + " bytes, expected a length within an array"
                    + (wide ? ", even for UTF-16" : ""));
        }
        reader.requireAhead(sizeBytes);
        byte[] bytes = new byte[(int) sizeBytes];
        reader.readBytes(bytes, 0, bytes.length);
        if (!wide) {
            return new String(bytes, 0, 0, bytes.length);
        }
        if (COMPACT && holdsWide(bytes, 0, bytes.length)) {
            return make(bytes, 1);
        }
        return ofChars(bytes);
    }

    /**
     * Through char[] and not through UTF_16LE, which would replace lone surrogates; it also restores the compact form where the
     * writer's JVM had compact strings switched off.
     */
    private static String ofChars(byte[] utf16) {
        char[] chars = new char[utf16.length / 2];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) (short) ImageFormat.SHORT.get(utf16, 2 * i);
        }
        return new String(chars);
    }
}
