package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording tells of moves. */
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
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("org.heapspan.SecondHeapMove"))
                .toList();
        assertThat(events).hasSize(1);
        assertThat(events.get(0).getLong("label")).isEqualTo(5);
        assertThat(events.get(0).getLong("rootsMoved")).isEqualTo(1);
        assertThat(events.get(0).getLong("bytes")).isEqualTo(report.imageBytes());
    }
}
