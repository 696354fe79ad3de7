package org.heapspan.exchange.wire;

/**
 * A committed group: where it is, and what is in it.
 *
 * @param address of its first byte in the exchange space
 * @param sizeBytes length of its image
 * @param checksum CRC32C of the image
 * @param raw whether the image may be raw, which only clients with the secret on the host of the server read
 * @param typeName class of the root, as its writer has told
 * @param version of the key that led here; 0 if it was the address
 */
public record GroupDescription(long address, long sizeBytes, int checksum, boolean raw, String typeName, long version) {
    /**
     * Compares.
     *
     * @param found the checksum of bytes that are said to be those of this group
     * @throws RefusedException if it is another one
     */
    public void check(int found) throws RefusedException {
        if (found != checksum) {
            throw new RefusedException(
                    RefusalCode.CHECKSUM,
                    "the group at 0x" + Long.toHexString(address) + " is damaged: its bytes have checksum "
                            + Integer.toHexString(found) + ", expected " + Integer.toHexString(checksum));
        }
    }

    void write(BodyWriter body) {
        body.number(address);
        body.number(sizeBytes);
        body.number(checksum);
        body.flag(raw);
        body.text(typeName);
        body.number(version);
    }

    static GroupDescription read(BodyReader body) throws MalformedFrameException {
        GroupDescription read = new GroupDescription(
                body.longNumber(), body.longNumber(), body.number(), body.flag(), body.text(), body.longNumber());
        if (read.address <= 0 || read.sizeBytes <= 0) {
            throw new MalformedFrameException("a group at address " + read.address + " with " + read.sizeBytes
                    + " bytes, expected positive numbers");
        }
        return read;
    }

    static void writeNumbers(BodyWriter body, long[] numbers) {
        body.number(numbers.length);
        for (long number : numbers) {
            body.number(number);
        }
    }

    static long[] readNumbers(BodyReader body) throws MalformedFrameException {
        long[] numbers = new long[body.count(Long.BYTES)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = body.longNumber();
        }
        return numbers;
    }
}
