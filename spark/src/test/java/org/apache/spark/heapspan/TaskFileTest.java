package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task writes for itself, with and without Spark's encryption. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class TaskFileTest {
    private static final String SECRET = "nobody may read this ";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nobodyReadsAnEncryptedFile(boolean encrypted) throws IOException {
        SparkContext spark = new SparkContext(
                LocalConf.of(folder, "files").set("spark.io.encryption.enabled", String.valueOf(encrypted)));
        try {
            byte[] bytes = SECRET.repeat(10_000).getBytes(StandardCharsets.UTF_8);
            TaskFile file = new TaskFile();
            OutputStream output = file.output();
            output.write(bytes);
            InputStream input = file.input();

            List<Path> written = written();
            assertThat(written).hasSize(1);
            String contents = Files.readString(written.get(0), StandardCharsets.ISO_8859_1);
            assertThat(contents).hasSizeGreaterThanOrEqualTo(bytes.length);
            assertThat(contents.contains(SECRET)).isEqualTo(!encrypted);
            assertThat(input.readAllBytes()).isEqualTo(bytes);

            assertThat(file.delete()).isEqualTo(contents.length());
            assertThat(written()).isEmpty();
        } finally {
            spark.stop();
        }
    }

    private List<Path> written() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("temp_local_"))
                    .toList();
        }
    }
}
