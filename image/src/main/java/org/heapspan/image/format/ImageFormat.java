package org.heapspan.image.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Owner of the binary layout of an object image in the compact encoding: magic, versions, frame header, slot tags and the
 * number formats. {@code docs/formats/image.md} is the specification, with a worked dump.
 *
 * <pre>
 * image        = imageHeader frame* endFrame
 * imageHeader  = magic:u32 version:u8 encoding:u8 flags:u16                 8 bytes, little endian
 * frame        = bodyBytes:u32 typesBytes:u32 crc32c:u32 types body         12 bytes before the types
 * endFrame     = a frame header whose three words are zero
 * </pre>
 *
 * <p>All numbers are little endian. The CRC32C covers types and body; it is zero where {@link #FLAG_CHECKSUM} is not set.
 */
public final class ImageFormat {
    private ImageFormat() {}

    /** The bytes {@code H S P I} read as a little-endian 32-bit number. */
    public static final int MAGIC = 'H' | 'S' << 8 | 'P' << 16 | 'I' << 24;

    public static final int VERSION = 1;

    public static final int ENCODING_COMPACT = 1;
    public static final int ENCODING_RAW = 2;

    public static final int FLAG_CHECKSUM = 1;
    /** The image is a sequence of records, each of which is an identity scope of its own. */
    public static final int FLAG_RECORD_SCOPE = 2;
    /** The image was written in {@code Mode.CLONE}: transient fields are present. */
    public static final int FLAG_CLONE = 4;

    /** Types are given by the identity of a registry, 16 bytes, and numbers in it, instead of by descriptions. */
    public static final int FLAG_REGISTRY = 8;

    public static final int REGISTRY_ID_BYTES = 16;

    /** The image is a sequence of records that are one identity scope together. Not with {@link #FLAG_RECORD_SCOPE}. */
    public static final int FLAG_GROUP_SCOPE = 16;

    /** One of them says that the image holds records; otherwise it holds the items of an object stream. */
    public static final int RECORD_FLAGS = FLAG_RECORD_SCOPE | FLAG_GROUP_SCOPE;

    /** No object is referred to more than once, so that a reader need not remember objects. Only with one of {@link #RECORD_FLAGS}. */
    public static final int FLAG_NO_BACK_REFERENCES = 32;

    /**
     * An even index is twice that of an object of the scope, an odd one is one more than twice that of an object that the reader has
     * already. Only with {@link #FLAG_RECORD_SCOPE}, and not in the raw encoding.
     */
    public static final int FLAG_SHARED_OBJECTS = 64;

    public static final int KNOWN_FLAGS =
            FLAG_CHECKSUM | FLAG_CLONE | FLAG_REGISTRY | RECORD_FLAGS | FLAG_NO_BACK_REFERENCES | FLAG_SHARED_OBJECTS;

    public static final int IMAGE_HEADER_BYTES = 8;
    public static final int FRAME_HEADER_BYTES = 12;

    public static final int VERSION_OFFSET = 4;
    public static final int ENCODING_OFFSET = 5;
    public static final int FLAGS_OFFSET = 6;

    public static final int FRAME_BODY_BYTES_OFFSET = 0;
    public static final int FRAME_TYPES_BYTES_OFFSET = 4;
    public static final int FRAME_CRC_OFFSET = 8;

    /** Body bytes after which a writer with a sink closes a frame at the next unit boundary. */
    public static final int FRAME_TARGET_BYTES = 256 << 10;

    /** No frame may be longer than this; a reader refuses it before it allocates anything. */
    public static final int FRAME_LIMIT_BYTES = 1 << 30;

    // Reference slots: a number whose first values are taken, the rest are types.
    public static final int TAG_NULL = 0;
    /** Followed by the index of an earlier object of the same scope. */
    public static final int TAG_BACK_REFERENCE = 1;
    /** Followed by the tag of a type and the object's shape; its body follows the current section. */
    public static final int TAG_DEFERRED = 2;
    /** The first tag that names a type: built-in types, numbered by {@code BuiltInTypes}. */
    public static final int TAG_FIRST_TYPE = 3;
    /** The built-in type of an object that another one takes the place of ({@code writeReplace}). */
    public static final int TAG_REPLACED = 23;
    /** The built-in type of a link to an object that the image does not hold. */
    public static final int TAG_LINK = 62;
    /** The first tag of the types that the image itself describes. */
    public static final int TAG_FIRST_DESCRIBED_TYPE = 64;

    /** Ends the items that a hook of Java serialization has written. */
    public static final int ITEM_END = 0;
    /** Bytes that a hook has written. */
    public static final int ITEM_DATA = 1;
    /** An object that a hook has written. */
    public static final int ITEM_OBJECT = 2;
    /** The fields of one class of the object, at the place where the hook has written them. */
    public static final int ITEM_FIELDS = 3;
    /** Only in object streams: forgets all objects seen so far; what follows is understood without what came before. */
    public static final int ITEM_RESET = 4;

    // String slots: null and back reference, then the header (bytes << 1 | coder) + 3.
    public static final int STRING_NULL = 0;
    public static final int STRING_BACK_REFERENCE = 1;
    /** Only among elements: a reference slot follows, the element is no string after all. */
    public static final int STRING_OTHER = 2;

    public static final int STRING_FIRST_HEADER = 3;

    /** Only among elements that are numbers, all of them one greater than elsewhere: a reference slot follows. */
    public static final int NUMBER_OTHER = 0;

    // Elements of collections whose elements are all of one class.
    public static final int ELEMENT_NULL = 0;
    public static final int ELEMENT_BACK_REFERENCE = 1;
    public static final int ELEMENT_NEW = 2;
    public static final int ELEMENT_DEFERRED = 3;
    /** Followed by a reference slot: the element is of another class after all. */
    public static final int ELEMENT_OTHER = 4;

    /** How many objects may nest inside one another before a body is deferred. */
    public static final int DEPTH_LIMIT = 96;

    /** No number is longer than this many bytes. */
    public static final int NUMBER_LIMIT_BYTES = 9;

    public static final VarHandle SHORT = view(short[].class);
    public static final VarHandle INT = view(int[].class);
    public static final VarHandle LONG = view(long[].class);

    private static VarHandle view(Class<?> arrayType) {
        return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.LITTLE_ENDIAN)
                .withInvokeExactBehavior();
    }

    /**
     * Writes an unsigned number in 1 to 9 bytes. The count of trailing zero bits of the first byte is the count of further
     * bytes, so that the length is known from one byte: {@code vvvvvvv1}, {@code vvvvvv10 vvvvvvvv}, ..., {@code 00000000} and
     * eight bytes. May touch up to 9 bytes from {@code position}, which the caller has reserved.
     *
     * @return the position behind the number
     */
    public static int putNumber(byte[] buffer, int position, long value) {
        if ((value & ~0x7FL) == 0) {
            RawBytes.putByte(buffer, position, (int) value << 1 | 1);
            return position + 1;
        }
        // A seventh of the bits, rounded up, without a division.
        int sizeBytes = (64 - Long.numberOfLeadingZeros(value)) * 9 + 64 >> 6;
        if (sizeBytes <= 8) {
            RawBytes.putLong(buffer, position, value << sizeBytes | 1L << (sizeBytes - 1));
            return position + sizeBytes;
        }
        RawBytes.putByte(buffer, position, 0);
        RawBytes.putLong(buffer, position + 1, value);
        return position + NUMBER_LIMIT_BYTES;
    }

    /** The position behind an unsigned number. */
    public static int endOfNumber(byte[] buffer, int position) {
        int first = RawBytes.getByte(buffer, position) & 0xFF;
        return position + (first == 0 ? NUMBER_LIMIT_BYTES : Integer.numberOfTrailingZeros(first) + 1);
    }

    /** An unsigned number; {@link #NUMBER_LIMIT_BYTES} can be read from the position on. */
    public static long getNumber(byte[] buffer, int position) {
        int first = RawBytes.getByte(buffer, position);
        if ((first & 1) != 0) {
            return (first & 0xFFL) >>> 1;
        }
        if (first == 0) {
            return RawBytes.getLong(buffer, position + 1);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        return RawBytes.getLong(buffer, position) << 64 - 8 * sizeBytes >>> 64 - 7 * sizeBytes;
    }

    public static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }

    public static long unzigzag(long value) {
        return value >>> 1 ^ -(value & 1);
    }

    /** Puts the header of an image, {@link #IMAGE_HEADER_BYTES} long. */
    public static void putImageHeader(byte[] target, int offset, int encoding, int flags) {
        INT.set(target, offset, MAGIC);
        target[offset + VERSION_OFFSET] = VERSION;
        target[offset + ENCODING_OFFSET] = (byte) encoding;
        SHORT.set(target, offset + FLAGS_OFFSET, (short) flags);
    }
}
