package org.heapspan.tests.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.heapspan.tests.conformance.Samples;

/** Changes encodings: bytes wherever they lie, and contents of images of one frame such that the image stays whole. */
final class Mutation {
    private static final int IMAGE_HEADER_BYTES = 8;
    private static final int HEADERS_BYTES = 20;
    private static final int CHECKSUMMED = 1;

    /** Described types have tags from this one on. */
    private static final int FIRST_DESCRIBED_TAG = 64;

    private static final int NULL = 1;
    private static final int PADDING_BITS = 17;

    private final List<byte[]> samples;
    private final List<byte[]> deep;
    private final SplittableRandom random;

    Mutation(Samples samples, SplittableRandom random) {
        this.samples = samples.encodings();
        deep = samples.deep();
        this.random = random;
    }

    /** A sample, changed. */
    byte[] next() {
        if (!deep.isEmpty() && random.nextInt(10) == 0) {
            return announcing(deep.get(random.nextInt(deep.size())));
        }
        byte[] input = samples.get(random.nextInt(samples.size())).clone();
        int changes = 1 + random.nextInt(random.nextInt(4) == 0 ? 12 : 2);
        for (int i = 0; i < changes && input.length > 0; i++) {
            input = random.nextBoolean() ? inFormat(input) : mutatedOnce(input);
        }
        return input;
    }

    @SuppressWarnings("StatementSwitchToExpressionSwitch")
    private byte[] mutatedOnce(byte[] input) {
        int at = random.nextInt(input.length);
        switch (random.nextInt(10)) {
            case 0, 1, 2:
                input[at] ^= (byte) (1 << random.nextInt(8));
                return input;
            case 3:
                input[at] = (byte) random.nextInt();
                return input;
            case 4:
                return Arrays.copyOf(input, at);
            case 5: {
                // A length or a count: a large value over four bytes, either byte order.
                if (input.length < 4) {
                    return input;
                }
                int[] lengths = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1 << 24, 0x7fffff00, random.nextInt()};
                int value = lengths[random.nextInt(lengths.length)];
                ByteBuffer.wrap(input).putInt(Math.min(at, input.length - 4), value);
                return input;
            }
            case 6: {
                // Head of this, tail of another.
                byte[] other = samples.get(random.nextInt(samples.size()));
                int from = other.length == 0 ? 0 : random.nextInt(other.length);
                byte[] spliced = Arrays.copyOf(input, at + other.length - from);
                System.arraycopy(other, from, spliced, at, other.length - from);
                return spliced;
            }
            case 7: {
                // A part of it moved elsewhere, so references and types no longer fit.
                int from = random.nextInt(input.length);
                int length = Math.min(1 + random.nextInt(16), input.length - Math.max(from, at));
                System.arraycopy(input, from, input, at, length);
                return input;
            }
            case 8: {
                // Bytes put in.
                int length = 1 + random.nextInt(8);
                byte[] longer = new byte[input.length + length];
                System.arraycopy(input, 0, longer, 0, at);
                System.arraycopy(input, at, longer, at + length, input.length - at);
                return longer;
            }
            default: {
                // Bytes taken out.
                int length = Math.min(1 + random.nextInt(8), input.length - at);
                byte[] shorter = new byte[input.length - length];
                System.arraycopy(input, 0, shorter, 0, at);
                System.arraycopy(input, at + length, shorter, at, input.length - at - length);
                return shorter;
            }
        }
    }

    /** Whether an image says that it has a checksum. One that lost this bit, and was made an image of one frame again, is not an altered one. */
    static boolean saysItHasAChecksum(byte[] image) {
        return image.length < HEADERS_BYTES || (image[6] & CHECKSUMMED) != 0;
    }

    /** Whether an encoding is an image of one frame without a checksum and with nothing behind it. */
    private static boolean isOfOneFrame(byte[] input) {
        if (input.length < HEADERS_BYTES || input[0] != 'H' || (input[6] & CHECKSUMMED) != 0) {
            return false;
        }
        long length = (long) HEADERS_BYTES + bodyBytes(input) + typesBytes(input);
        return bodyBytes(input) > 0 && typesBytes(input) >= 0 && length == input.length;
    }

    private static int bodyBytes(byte[] image) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getInt(IMAGE_HEADER_BYTES);
    }

    private static int typesBytes(byte[] image) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getInt(IMAGE_HEADER_BYTES + 4);
    }

    /** Changes the contents of an image, if it is one that this can change. */
    private byte[] inFormat(byte[] input) {
        if (!isOfOneFrame(input)) {
            return mutatedOnce(input);
        }
        int bodyAt = HEADERS_BYTES + typesBytes(input);
        byte[] types = Arrays.copyOfRange(input, HEADERS_BYTES, bodyAt);
        byte[] body = Arrays.copyOfRange(input, bodyAt, input.length);
        switch (random.nextInt(5)) {
            case 0 ->
                // Descriptions of which there is no object.
                body = new byte[] {NULL};
            case 1 -> body[placeOfTag(body)] = tag();
            case 2 -> {
                byte[] other = samples.get(random.nextInt(samples.size()));
                if (isOfOneFrame(other)) {
                    types = joined(types, Arrays.copyOfRange(other, HEADERS_BYTES, HEADERS_BYTES + typesBytes(other)));
                }
            }
            case 3 -> body = repeated(body);
            default -> {
                int at = random.nextInt(body.length);
                body = joined(
                        Arrays.copyOf(body, at),
                        number(random.nextInt(1 << random.nextInt(31))),
                        Arrays.copyOfRange(body, at + 1, body.length));
            }
        }
        return image(input, types, body);
    }

    /** Some place, often one with the tag of a described type. */
    private int placeOfTag(byte[] body) {
        int at = random.nextInt(body.length);
        boolean described = random.nextInt(4) > 0;
        for (int i = at; described && i < body.length; i++) {
            if ((body[i] & 1) != 0 && (body[i] & 0xFF) >> 1 >= FIRST_DESCRIBED_TAG) {
                return i;
            }
        }
        return at;
    }

    private byte tag() {
        int tag =
                random.nextInt(3) == 0 ? FIRST_DESCRIBED_TAG + random.nextInt(4) : random.nextInt(FIRST_DESCRIBED_TAG);
        return (byte) (tag << 1 | 1);
    }

    /**
     * Has all of a kind in an image announce much more than there is, and adds bytes that each of them alone could mean. The kind is
     * what the same three bytes lead to.
     */
    private byte[] announcing(byte[] input) {
        if (!isOfOneFrame(input)) {
            return mutatedOnce(input.clone());
        }
        int bodyAt = HEADERS_BYTES + typesBytes(input);
        byte[] body = Arrays.copyOfRange(input, bodyAt, input.length);
        // Where it nests: neither the beginning nor the end.
        int chosen = body.length / 4 + random.nextInt(Math.max(1, body.length / 2));
        int padding = 1 << random.nextInt(PADDING_BITS + 1);
        byte[] more = number(padding >> random.nextInt(4));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < body.length; i++) {
            boolean same = Arrays.equals(
                    body, Math.max(0, i - 2), i + 1, body, Math.max(0, chosen - 2), Math.min(chosen + 1, body.length));
            if (same) {
                bytes.writeBytes(more);
            } else {
                bytes.write(body[i]);
            }
        }
        byte[] filling = new byte[padding];
        Arrays.fill(filling, random.nextBoolean() ? NULL : tag());
        bytes.writeBytes(filling);
        return image(input, Arrays.copyOfRange(input, HEADERS_BYTES, bodyAt), bytes.toByteArray());
    }

    /** Repeats a part, which nests as often if it ends where something else begins. */
    private byte[] repeated(byte[] body) {
        int from = random.nextInt(body.length);
        int to = Math.min(body.length, from + 1 + random.nextInt(12));
        byte[] part = Arrays.copyOfRange(body, from, to);
        byte[] all = Arrays.copyOf(body, to);
        for (int times = random.nextInt(40); times > 0; times--) {
            all = joined(all, part);
        }
        return joined(all, Arrays.copyOfRange(body, to, body.length));
    }

    private static byte[] number(int value) {
        int sizeBytes = 1;
        while (sizeBytes < 5 && (long) value >>> 7 * sizeBytes != 0) {
            sizeBytes++;
        }
        long encoded = (long) value << sizeBytes | 1L << sizeBytes - 1;
        byte[] bytes = new byte[sizeBytes];
        for (int i = 0; i < sizeBytes; i++) {
            bytes[i] = (byte) (encoded >>> 8 * i);
        }
        return bytes;
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] each : parts) {
            bytes.writeBytes(each);
        }
        return bytes.toByteArray();
    }

    private static byte[] image(byte[] header, byte[] types, byte[] body) {
        return ByteBuffer.allocate(HEADERS_BYTES + types.length + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(header, 0, IMAGE_HEADER_BYTES)
                .putInt(body.length)
                .putInt(types.length)
                .putInt(0)
                .put(types)
                .put(body)
                .array();
    }
}
