package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the collectors of executors have written of their pauses ({@code -Xlog:gc}). */
final class CollectorLog {
    /** {@code [12.3s][info][gc] GC(4) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.210ms}. */
    private static final Pattern PAUSE = Pattern.compile("\\bPause (\\w+)\\b.* ([0-9.]+)ms$");

    private CollectorLog() {}

    /** The JVM's option for a log in a folder. */
    static String option(Path folder) {
        return "-Xlog:gc:file=" + folder + "/collector-%p.log";
    }

    /** Adds up the pauses of all logs in a folder. */
    static void read(Path folder, Application application) throws IOException {
        List<Path> logs;
        try (Stream<Path> files = Files.list(folder)) {
            logs = files.filter(file -> file.getFileName().toString().startsWith("collector-"))
                    .toList();
        }
        for (Path log : logs) {
            for (String line : Files.readAllLines(log)) {
                Matcher pause = PAUSE.matcher(line);
                if (pause.find()) {
                    application.pauseSeconds += Double.parseDouble(pause.group(2)) / 1e3;
                    application.fullCollections += pause.group(1).equals("Full") ? 1 : 0;
                }
            }
        }
    }
}
