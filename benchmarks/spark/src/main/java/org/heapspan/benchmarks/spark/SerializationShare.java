package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Which share of the time that tasks run is spent in a serializer, by JDK Flight Recorder's samples of executors. {@link SampleOwner} says to
 * whom a sample belongs.
 */
final class SerializationShare {
    private static final int PERIOD_MILLIS = 10;
    private static final String TASK_THREADS = "Executor task launch worker";

    private SerializationShare() {}

    /** Writes the settings of a recording and returns where. */
    static Path settings(Path folder) {
        Path file = folder.resolve("samples.jfc");
        try {
            Files.writeString(file, """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <configuration version="2.0">
                      <event name="jdk.ExecutionSample">
                        <setting name="enabled">true</setting>
                        <setting name="period">%d ms</setting>
                      </event>
                      <event name="jdk.NativeMethodSample">
                        <setting name="enabled">true</setting>
                        <setting name="period">%d ms</setting>
                      </event>
                    </configuration>
                    """.formatted(PERIOD_MILLIS, PERIOD_MILLIS));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return file;
    }

    /** The share over all recordings in a folder; not a number if there is no sample. */
    static double of(Path folder) throws IOException {
        long all = 0;
        long serializing = 0;
        List<Path> recordings;
        try (Stream<Path> files = Files.list(folder)) {
            recordings = files.filter(file -> file.toString().endsWith(".jfr")).toList();
        }
        for (Path recording : recordings) {
            try (RecordingFile events = new RecordingFile(recording)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    if (isOfTask(event)) {
                        all++;
                        serializing += SampleOwner.isSerializer(classes(event.getStackTrace())) ? 1 : 0;
                    }
                }
            }
        }
        return all == 0 ? Double.NaN : (double) serializing / all;
    }

    private static boolean isOfTask(RecordedEvent event) {
        String name = event.getEventType().getName();
        RecordedStackTrace stack = event.getStackTrace();
        if (stack == null || stack.getFrames().isEmpty()) {
            return false;
        }
        // Threads that wait in native code, as for the next message, are sampled too: only running ones count.
        if (!name.equals("jdk.ExecutionSample")
                && !SampleOwner.computesNatively(classes(stack).get(0))) {
            return false;
        }
        String thread = event.getThread("sampledThread").getJavaName();
        return thread != null && thread.startsWith(TASK_THREADS);
    }

    private static List<String> classes(RecordedStackTrace stack) {
        return stack.getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName())
                .toList();
    }
}
