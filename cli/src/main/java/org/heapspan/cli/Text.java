package org.heapspan.cli;

import java.util.Locale;

/** Columns, bars and quantities in plain text. */
final class Text {
    private Text() {}

    static String left(String text, int width) {
        return text.length() >= width ? text : text + " ".repeat(width - text.length());
    }

    static String right(String text, int width) {
        return text.length() >= width ? text : " ".repeat(width - text.length()) + text;
    }

    /** A bar of at most {@code width} characters. */
    static String bar(double value, double most, int width) {
        int eighths = most <= 0 ? 0 : (int) Math.round(8 * width * value / most);
        String full = "\u2588".repeat(eighths / 8);
        int rest = eighths % 8;
        return rest == 0 ? full : full + (char) (0x2590 - rest);
    }

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    static String percent(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
    }

    static String bytes(long bytes) {
        if (bytes < 10_000) {
            return bytes + " B";
        }
        double kilobytes = bytes / 1024.0;
        return kilobytes < 10_000
                ? String.format(Locale.ROOT, "%.1f KB", kilobytes)
                : String.format(Locale.ROOT, "%.1f MB", kilobytes / 1024);
    }

    static String nanoseconds(double nanos) {
        if (nanos < 10_000) {
            return String.format(Locale.ROOT, "%.0f ns", nanos);
        }
        return nanos < 10_000_000
                ? String.format(Locale.ROOT, "%.1f us", nanos / 1e3)
                : String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
