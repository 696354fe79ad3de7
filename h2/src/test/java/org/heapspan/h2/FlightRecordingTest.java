package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording tells what goes into the heap, what leaves it, what cannot go there, and what is in it. */
@Tag("once")
final class FlightRecordingTest {
    @TempDir
    Path directory;

    @Test
    void moveIsAnEvent() throws Exception {
        Path file = directory.resolve("moves.jfr");
        MoveReport report;
        try (Recording recording = new Recording();
                SecondHeap heap = SecondHeap.open(
                        directory, SecondHeapOptions.capacity(16 << 20).withoutThresholds());
                H2Handle<Sample> handle = heap.tagRoot(new Sample(1), Label.of(5))) {
            recording.enable("org.heapspan.SecondHeapMove").withoutThreshold();
            recording.start();
            report = heap.move(handle.label());
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = of(RecordingFile.readAllEvents(file), "Move");
        assertThat(events).hasSize(1);
        assertThat(events.get(0).getLong("label")).isEqualTo(5);
        assertThat(events.get(0).getLong("rootsMoved")).isEqualTo(1);
        assertThat(events.get(0).getLong("bytes")).isEqualTo(report.imageBytes());
    }

    private static List<RecordedEvent> of(List<RecordedEvent> all, String kind) {
        return all.stream()
                .filter(event -> event.getEventType().getName().equals("org.heapspan.SecondHeap" + kind))
                .toList();
    }

    @Test
    void appendsFreedRegionsAndWhatStaysAreEvents() throws Exception {
        Path file = directory.resolve("heap.jfr");
        SecondHeapStatistics statistics;
        try (Recording recording = new Recording();
                SecondHeap heap = SecondHeap.open(
                        directory,
                        SecondHeapOptions.capacity(8 << 20)
                                .withRegionBytes(1 << 20)
                                .withoutThresholds())) {
            recording.start();
            H2Sequence<Sample> first = heap.append(Label.of(901), Sample.list(0, 20_000));
            H2Sequence<Sample> second = heap.append(Label.of(902), Sample.list(0, 100));
            statistics = heap.statistics();
            first.close();
            H2Handle<Object> refused = heap.tagRoot(Thread.currentThread(), Label.of(903));
            heap.move(Label.of(903));
            try (H2Appender<Sample> appender = heap.appender(Label.of(904))) {
                appender.add(new Sample(1));
                assertThat(appender.takeBack().next()).isEqualTo(new Sample(1));
            }
            H2Sequence<Sample> waiting = heap.tagRoots(Sample.list(0, 100_000), Label.of(905));
            assertThatThrownBy(() -> heap.move(Label.of(905))).isInstanceOf(SecondHeapException.class);
            recording.stop();
            recording.dump(file);
            // Nothing of it is closed by the collector meanwhile.
            assertThat(List.of(second.isMoved(), refused.isMoved(), waiting.isMoved()))
                    .containsExactly(true, false, false);
        }
        List<RecordedEvent> all = ofThisHeap(RecordingFile.readAllEvents(file));

        List<RecordedEvent> appends = of(all, "Append");
        assertThat(appends).extracting(event -> event.getLong("label")).containsExactly(901L, 902L);
        assertThat(appends).extracting(event -> event.getLong("elements")).containsExactly(20_000L, 100L);
        assertThat(appends.get(0).getDuration("open")).isPositive();

        RecordedEvent free = of(all, "Free").get(0);
        assertThat(free.getLong("label")).isEqualTo(901);
        assertThat(free.getInt("regions")).isEqualTo(statistics.labels().get(0).regions());
        assertThat(free.getLong("bytes")).isEqualTo((long) free.getInt("regions") << 20);

        List<RecordedEvent> fallbacks = of(all, "Fallback");
        assertThat(fallbacks).extracting(event -> event.getString("kind")).containsExactly("ROOT", "SEQUENCE", "MOVE");
        assertThat(fallbacks).extracting(event -> event.getLong("count")).containsExactly(1L, 1L, 1L);
        assertThat(fallbacks.get(0).getString("reason")).contains("java.lang.Thread");
        assertThat(fallbacks.get(2).getString("reason")).contains("the second heap is full");

        // At the end of the recording.
        RecordedEvent use = last(of(all, "Use"));
        assertThat(use.getLong("capacity")).isEqualTo(8 << 20);
        assertThat(use.getInt("regionsInUse")).isEqualTo(1);
        assertThat(last(of(all, "Occupancy")).getInt("livePercent")).isEqualTo(100);
        assertThat(of(all, "Label").stream().mapToLong(event -> event.getLong("label")))
                .contains(902L, 903L, 905L);
    }

    /** The collector may let go of what is left of other tests meanwhile. */
    private static List<RecordedEvent> ofThisHeap(List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> !event.hasField("label") || event.getLong("label") > 900)
                .toList();
    }

    private static RecordedEvent last(List<RecordedEvent> events) {
        return events.get(events.size() - 1);
    }
}
