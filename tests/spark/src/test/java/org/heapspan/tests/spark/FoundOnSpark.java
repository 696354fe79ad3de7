package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What stock Spark has found, by name, in a file of this module, so that not every run of the tests has to find it again. {@code ./dev soak spark} does,
 * and compares.
 */
final class FoundOnSpark {
    private final String fileName;

    /**
     * Says which file it is.
     *
     * @param name of the file in {@code src/test/resources/found-on-spark}, without its ending
     */
    FoundOnSpark(String name) {
        fileName = name + ".txt";
    }

    /** The content of the file, a line for each name. */
    Map<String, String> expected() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/found-on-spark", fileName))) {
            int end = line.indexOf('=');
            expected.put(line.substring(0, end), line.substring(end + 1));
        }
        assertThat(expected).as(fileName).isNotEmpty();
        return expected;
    }

    /** Compares what stock Spark has found now with the file, and writes a new file that may replace it. */
    void isStillFound(Map<String, String> found) throws IOException {
        Path written = Files.createDirectories(
                        Path.of("target", "found-on-spark").toAbsolutePath())
                .resolve(fileName);
        List<String> lines = new TreeMap<>(found)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .toList();
        Files.write(written, lines);
        assertThat(found)
                .as(
                        "what stock Spark finds; if the jobs, Spark or Java have changed, copy %s to src/test/resources/found-on-spark",
                        written)
                .containsExactlyInAnyOrderEntriesOf(expected());
    }
}
