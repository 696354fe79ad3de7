package org.heapspan.spark.report;

import java.util.ArrayList;
import java.util.List;

/**
 * How many bytes a second were encoded and decoded in the last minutes: for the plot. Time is divided into slots of {@value #SLOT_MILLIS} ms;
 * what a report tells is spread evenly over the slots of the time it is about. Not thread-safe.
 */
public final class RateHistory {
    public static final int SLOT_MILLIS = 2_000;
    /** Ten minutes. */
    static final int SLOTS = 300;

    private final double[] encodedBytes = new double[SLOTS];
    private final double[] decodedBytes = new double[SLOTS];

    /** Number of the latest slot that was written, counted from the beginning of time, or -1. */
    private long latest = -1;

    /**
     * A slot.
     *
     * @param endMillis when it ended or will end, in milliseconds since 1970
     * @param encodedBytesPerSecond what became bytes in it
     * @param decodedBytesPerSecond what became objects in it
     */
    public record Point(long endMillis, double encodedBytesPerSecond, double decodedBytesPerSecond) {}

    /**
     * Adds what was done.
     *
     * @param nowMillis in milliseconds since 1970
     * @param lengthMillis how long ago it began
     */
    void add(long nowMillis, long lengthMillis, long encoded, long decoded) {
        moveTo(nowMillis / SLOT_MILLIS);
        long length = Math.max(1, Math.min(lengthMillis, (SLOTS - 1L) * SLOT_MILLIS));
        long from = nowMillis - length;
        while (from < nowMillis) {
            long slot = from / SLOT_MILLIS;
            long to = Math.min(nowMillis, (slot + 1) * SLOT_MILLIS);
            double share = (to - from) / (double) length;
            if (slot > latest - SLOTS) {
                int index = (int) (slot % SLOTS);
                encodedBytes[index] += encoded * share;
                decodedBytes[index] += decoded * share;
            }
            from = to;
        }
    }

    /** Clears the slots that have begun since. A clock that was put back writes into slots that are there. */
    private void moveTo(long slot) {
        if (latest < 0) {
            latest = slot;
        }
        for (long each = Math.max(latest + 1, slot - SLOTS + 1); each <= slot; each++) {
            encodedBytes[(int) (each % SLOTS)] = 0;
            decodedBytes[(int) (each % SLOTS)] = 0;
        }
        latest = Math.max(latest, slot);
    }

    /** The slots that ended a slot ago or before, oldest first: of later ones not all reports have come. */
    List<Point> points(long nowMillis) {
        moveTo(nowMillis / SLOT_MILLIS);
        List<Point> points = new ArrayList<>(SLOTS);
        for (long slot = latest - SLOTS + 1; slot < latest - 1; slot++) {
            int index = (int) Math.floorMod(slot, (long) SLOTS);
            double seconds = SLOT_MILLIS / 1000.0;
            points.add(
                    new Point((slot + 1) * SLOT_MILLIS, encodedBytes[index] / seconds, decodedBytes[index] / seconds));
        }
        return points;
    }
}
