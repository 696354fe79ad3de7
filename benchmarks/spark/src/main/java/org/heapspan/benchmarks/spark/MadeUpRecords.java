package org.heapspan.benchmarks.spark;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Records as those of Hadoop's TeraSort, by random numbers, the same each time: a key, the number of the row, and text whose letters repeat. */
final class MadeUpRecords {
    static final String TO_SORT = "records-to-sort.bin";

    private static final int SEED = 1957;
    private static final int RECORDS = 1_250_000;
    private static final int RECORD_BYTES = 100;
    private static final int KEY_BYTES = 10;
    private static final int ROW_AT = 12;
    private static final int TEXT_AT = 48;
    private static final int LETTERS = 12;
    private static final int REPEATED = 4;

    private MadeUpRecords() {}

    /** Writes what is not there yet, so many times as much as usual. */
    static void write(Path folder, int factor) throws IOException {
        Files.createDirectories(folder);
        UnpackedData.put(folder.resolve(TO_SORT), target -> toSort(target, factor * RECORDS));
    }

    private static void toSort(Path target, int records) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] record = new byte[RECORD_BYTES];
        byte[] digits = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target))) {
            for (int row = 0; row < records; row++) {
                ByteBuffer.wrap(record).putLong(random.nextLong()).putShort((short) random.nextInt());
                record[KEY_BYTES + 1] = 0x11;
                byte[] number = String.format("%032X", row).getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(number, 0, record, ROW_AT, number.length);
                for (int i = 0; i < LETTERS; i++) {
                    int at = TEXT_AT + i * REPEATED;
                    Arrays.fill(record, at, at + REPEATED, digits[random.nextInt(digits.length)]);
                }
                out.write(record);
            }
        }
    }
}
