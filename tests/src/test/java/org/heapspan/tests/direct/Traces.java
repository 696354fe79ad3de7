package org.heapspan.tests.direct;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What a JVM has left behind that was told to record and to write its log: the proof that it did what it was told. */
final class Traces {
    /** Where a JVM writes its recording, in the folder of its run. */
    static final String RECORDING = "recording.jfr";

    /** Where it writes what it says of the deduplication of strings. */
    static final String DEDUPLICATION = "deduplication.txt";

    private static final Pattern DEDUPLICATED = Pattern.compile("(\\d+)/[0-9.]+[BKMG] \\(deduped\\)");

    private Traces() {}

    /** A line {@code key=value} for each thing that can be counted in a folder. */
    static String of(Path directory) throws IOException {
        StringBuilder lines = new StringBuilder();
        Path recording = directory.resolve(RECORDING);
        if (Files.exists(recording)) {
            count(recording, lines);
        }
        Path deduplication = directory.resolve(DEDUPLICATION);
        if (Files.exists(deduplication)) {
            long strings = 0;
            Matcher matcher = DEDUPLICATED.matcher(Files.readString(deduplication));
            while (matcher.find()) {
                strings += Long.parseLong(matcher.group(1));
            }
            lines.append("deduplicated=").append(strings).append('\n');
        }
        return lines.toString();
    }

    private static void count(Path recording, StringBuilder lines) throws IOException {
        long oldObjects = 0;
        long withPath = 0;
        long windows = 0;
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String name = event.getEventType().getName();
                if (name.equals("jdk.OldObjectSample")) {
                    oldObjects++;
                    withPath += event.getValue("root") == null ? 0 : 1;
                } else if (name.equals("org.heapspan.Window")) {
                    windows += event.getLong("windows");
                }
            }
        }
        lines.append("oldObjects=").append(oldObjects).append('\n');
        lines.append("oldObjectsWithPath=").append(withPath).append('\n');
        lines.append("recordedWindows=").append(windows).append('\n');
    }
}
