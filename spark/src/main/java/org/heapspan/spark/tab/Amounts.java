package org.heapspan.spark.tab;

import java.util.Locale;

/** Numbers as people read them, in the units of Spark's own pages. */
final class Amounts {
    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Amounts() {}

    /** Such as {@code 1,234,567}. */
    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Such as {@code 1.5 MiB}. */
    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (Math.abs(value) >= 1024 && unit < BYTE_UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0
                ? bytes + " B"
                : String.format(Locale.ROOT, value < 10 ? "%.2f %s" : "%.1f %s", value, BYTE_UNITS[unit]);
    }

    /** Such as {@code 12 ms}, {@code 3.4 s} or {@code 5.6 min}. */
    static String time(long nanos) {
        double millis = nanos / 1e6;
        if (millis < 1) {
            return nanos == 0 ? "0 ms" : "< 1 ms";
        }
        if (millis < 1000) {
            return String.format(Locale.ROOT, "%.0f ms", millis);
        }
        double seconds = millis / 1000;
        if (seconds < 120) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        double minutes = seconds / 60;
        return minutes < 120
                ? String.format(Locale.ROOT, "%.1f min", minutes)
                : String.format(Locale.ROOT, "%.1f h", minutes / 60);
    }

    /** Such as {@code 1.23 GB/s} or {@code 456 MB/s}, in powers of ten; empty if nothing was measured. */
    static String speed(long bytes, long nanos) {
        if (nanos <= 0 || bytes <= 0) {
            return "";
        }
        double gigabytes = bytes / (double) nanos;
        if (gigabytes >= 1) {
            return String.format(Locale.ROOT, "%.2f GB/s", gigabytes);
        }
        double megabytes = gigabytes * 1000;
        return String.format(Locale.ROOT, megabytes < 10 ? "%.1f MB/s" : "%.0f MB/s", megabytes);
    }

    /** Such as {@code 12.3 %}; empty if there is no whole. */
    static String share(long part, long whole) {
        return whole <= 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }
}
