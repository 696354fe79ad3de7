package org.heapspan.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example prints what the documentation says. */
final class Example10OrdersTest {
    @Tag("once")
    @Test
    void printsWhatTheDocumentationSays() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Example10Orders.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        String documentation = Files.readString(Path.of(System.getProperty("heapspan.root"), "docs/flink.md"));
        assertThat(documentation).contains("```text\n" + printed.toString(StandardCharsets.UTF_8) + "```");
    }
}
