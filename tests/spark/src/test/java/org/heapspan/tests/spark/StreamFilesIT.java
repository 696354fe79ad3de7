package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A DStream goes on with the checkpoints and the write-ahead log of an application with or without Heapspan. */
@Tag("soak")
final class StreamFilesIT {
    private static final String HEAPSPAN = "org.heapspan.spark.HeapspanSerializer";
    private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void heapspanIsAddedToAStream() throws Exception {
        goesOn(false, true);
    }

    @Test
    void heapspanIsRemovedFromAStream() throws Exception {
        goesOn(true, false);
    }

    @Test
    void heapspanStays() throws Exception {
        goesOn(true, true);
    }

    private void goesOn(boolean withHeapspan, boolean thenWithHeapspan) throws Exception {
        run("first", withHeapspan).succeeded();
        Path stream = folder.resolve("stream");
        assertThat(stream.resolve("first life")).content().isEqualTo("{any=3, first=1, last=1}");
        assertThat(files(stream, "receivedData")).isNotEmpty();
        assertThat(files(stream, "rdd-")).isNotEmpty();
        Outcome outcome = run("second", thenWithHeapspan).succeeded();
        assertThat(outcome.results())
                .containsEntry("counts", "{any=3, first=1, last=1}")
                .containsEntry("serializer of the driver", thenWithHeapspan ? HEAPSPAN : JAVA);
    }

    private Outcome run(String name, boolean withHeapspan) throws Exception {
        Files.createDirectories(folder.resolve("stream"));
        SparkRun run = new SparkRun(Files.createDirectory(folder.resolve(name)), SparkRun.JDK_25);
        if (withHeapspan) {
            run.withHeapspan();
        }
        // Files of a local disk have what was written when they are closed.
        return run.with("spark.master", "local[3]")
                .with("spark.streaming.receiver.writeAheadLog.enable", "true")
                .with("spark.streaming.receiver.writeAheadLog.closeFileAfterWrite", "true")
                .with("spark.streaming.driver.writeAheadLog.closeFileAfterWrite", "true")
                .run("StreamFilesApplication", folder.resolve("stream").toString());
    }

    private static List<Path> files(Path folder, String below) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> folder.relativize(file).toString().contains(below))
                    .toList();
        }
    }
}
