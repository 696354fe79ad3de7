package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ProgressTest {
    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
    private final Progress progress = new Progress(
            new Surroundings(Map.of(), Path.of("heapspan.jar"), new PrintStream(notes, true, StandardCharsets.UTF_8)),
            "reading file",
            200_000_000);

    @Test
    void aLongTransferTellsHowFarItIs() throws Exception {
        TimeUnit.MILLISECONDS.sleep(1_100);
        progress.add(50_000_000);
        assertThat(notes.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("heapspan: reading file: " + Text.bytes(50_000_000) + " of " + Text.bytes(200_000_000) + " ("
                        + Text.percent(1, 4) + ")");
    }
}
