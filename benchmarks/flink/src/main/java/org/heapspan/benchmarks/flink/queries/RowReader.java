package org.heapspan.benchmarks.flink.queries;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;

/** Reads columns of rows, each of which ends with a bar. */
final class RowReader {
    private final byte[] bytes;
    private int position;

    RowReader(byte[] bytes) {
        this.bytes = bytes;
    }

    int position() {
        return position;
    }

    /** Goes behind the end of a line. */
    void nextRow() {
        while (bytes[position++] != '\n') {
            // Further columns.
        }
    }

    /** A number without its decimal point: a price becomes cents. */
    long number() {
        boolean negative = bytes[position] == '-';
        long number = 0;
        if (negative) {
            position++;
        }
        for (byte next = bytes[position++]; next != '|'; next = bytes[position++]) {
            if (next != '.') {
                number = 10 * number + next - '0';
            }
        }
        return negative ? -number : number;
    }

    String text() {
        int start = position;
        while (bytes[position] != '|') {
            position++;
        }
        return new String(bytes, start, position++ - start, StandardCharsets.ISO_8859_1);
    }

    /** A date as {@code 1996-03-13}. */
    LocalDate date() {
        LocalDate date =
                LocalDate.of(100 * digits(position) + digits(position + 2), digits(position + 5), digits(position + 8));
        position += "1996-03-13|".length();
        return date;
    }

    private int digits(int at) {
        return 10 * (bytes[at] - '0') + bytes[at + 1] - '0';
    }
}
