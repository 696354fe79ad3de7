package org.heapspan.spark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.heapspan.spark.report.RateHistory.Point;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RateHistoryTest {
    private static final int SLOT = RateHistory.SLOT_MILLIS;

    private final RateHistory history = new RateHistory();

    private static double bytes(List<Point> points) {
        return points.stream().mapToDouble(Point::encodedBytesPerSecond).sum() * SLOT / 1000;
    }

    @Test
    void aReportIsSpreadOverItsTime() {
        long now = 1_000_000L * SLOT;
        history.add(now, 2 * SLOT, 4_000, 400);
        List<Point> points = history.points(now + SLOT);
        assertThat(points).hasSize(RateHistory.SLOTS - 2);
        Point last = points.get(points.size() - 1);
        assertThat(last).isEqualTo(new Point(now, 2_000 * 1000.0 / SLOT, 200 * 1000.0 / SLOT));
        assertThat(points.get(points.size() - 2)).isEqualTo(new Point(now - SLOT, 1_000.0, 100.0));
        assertThat(points.get(points.size() - 3).encodedBytesPerSecond()).isZero();
    }

    @Test
    void nothingIsLostWhereSlotsAreCut() {
        long now = 1_000_000L * SLOT + 700;
        history.add(now, 3 * SLOT + 123, 10_000, 0);
        history.add(now + 300, SLOT, 5_000, 0);
        // Slots of which not all may be known are not told.
        assertThat(bytes(history.points(now + SLOT))).isLessThan(15_000);
        assertThat(bytes(history.points(now + 2 * SLOT))).isCloseTo(15_000, within(0.001));
    }

    @Test
    void whatIsOlderThanTheWindowGoes() {
        long now = 1_000_000L * SLOT;
        history.add(now, SLOT, 1_000, 0);
        assertThat(bytes(history.points(now + (RateHistory.SLOTS - 2L) * SLOT))).isEqualTo(1_000);
        assertThat(bytes(history.points(now + (RateHistory.SLOTS + 1L) * SLOT))).isZero();
        assertThat(bytes(history.points(now + 1_000_000L * SLOT))).isZero();
    }

    @Test
    void timesThatCannotBeDoNoHarm() {
        long now = 1_000_000L * SLOT;
        history.add(now, 0, 1_000, 0);
        history.add(now, -5, 1_000, 0);
        history.add(now, Long.MAX_VALUE, 1_000, 0);
        history.add(now - 10 * SLOT, SLOT, 1_000, 0);
        assertThat(bytes(history.points(now + 2 * SLOT))).isBetween(3_900.0, 4_001.0);
    }

    @Test
    void withoutReportsAllIsZero() {
        assertThat(history.points(1_000_000L * SLOT))
                .hasSize(RateHistory.SLOTS - 2)
                .allSatisfy(point -> assertThat(point.decodedBytesPerSecond()).isZero());
    }
}
