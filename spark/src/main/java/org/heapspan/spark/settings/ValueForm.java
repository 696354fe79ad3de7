package org.heapspan.spark.settings;

import java.util.Locale;
import org.apache.spark.network.util.JavaUtils;
import org.heapspan.Encoding;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.vm.VirtualMachine;

/** What users write as values of keys, and what it means. One class reads all forms: a class for each would take time when a JVM starts. */
enum ValueForm {
    YES_OR_NO,
    TEXT,
    ENCODING,
    DIRECT,
    BYTES,
    GROUP_BYTES,
    REGION_BYTES,
    SHARE,
    KEPT_FRACTION,
    ENCRYPTS;

    private static final int LEAST_GROUP_BYTES = 1 << 10;
    private static final int MOST_GROUP_BYTES = 64 << 20;

    /** Of a heap; the rest is for what programs make. */
    private static final double MOST_KEPT_FRACTION = 0.5;

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException if the text has another form; its message, if any, says what was read
     */
    Object read(String text) {
        return switch (this) {
            case YES_OR_NO -> either(text, "true", "false");
            case ENCRYPTS -> either(text, "encrypt", "heap-off");
            case TEXT -> text;
            case ENCODING -> Encoding.valueOf(text.toUpperCase(Locale.ROOT));
            case DIRECT -> direct(text);
            case BYTES -> bytes(text, 0, Long.MAX_VALUE);
            case GROUP_BYTES -> (int) bytes(text, LEAST_GROUP_BYTES, MOST_GROUP_BYTES);
            case REGION_BYTES -> regionBytes(text);
            case SHARE -> share(text, 1);
            case KEPT_FRACTION -> share(text, MOST_KEPT_FRACTION);
        };
    }

    private static boolean either(String text, String yes, String no) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (!lower.equals(yes) && !lower.equals(no)) {
            throw new IllegalArgumentException();
        }
        return lower.equals(yes);
    }

    private static long bytes(String text, long least, long most) {
        long bytes = JavaUtils.byteStringAsBytes(text);
        if (bytes < least || bytes > most) {
            throw new IllegalArgumentException(bytes + " bytes");
        }
        return bytes;
    }

    private static int regionBytes(String text) {
        long bytes = bytes(text, SecondHeapOptions.LEAST_REGION_BYTES, SecondHeapOptions.MOST_REGION_BYTES);
        if (Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException(bytes + " bytes");
        }
        return (int) bytes;
    }

    private static String direct(String text) {
        if (!VirtualMachine.directEngineSettings().contains(text)) {
            throw new IllegalArgumentException();
        }
        return text;
    }

    private static double share(String text, double most) {
        double share = Double.parseDouble(text);
        if (!(share >= 0 && share <= most)) {
            throw new IllegalArgumentException(text);
        }
        return share;
    }
}
