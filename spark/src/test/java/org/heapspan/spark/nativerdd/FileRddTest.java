package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.LocalConf;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Which files of records are read. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class FileRddTest {
    @TempDir
    static Path folder;

    private static SparkContext spark;

    @BeforeAll
    static void start() {
        spark = new SparkContext(LocalConf.of(folder, "files"));
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static FileRdd records(int fileBytes, long recordBytes) throws IOException {
        Path file = Files.write(folder.resolve("records"), new byte[fileBytes]);
        return FileRdd.ofRecords(spark, file.toUri().toString(), recordBytes, 2);
    }

    @Test
    void aFileThatEndsInsideOfARecordIsRefused() throws IOException {
        assertThat(records(300, 100).count()).isPositive();
        FileRdd damaged = records(250, 100);
        assertThatThrownBy(damaged::count)
                .rootCause()
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("records has 250 bytes, expected a multiple of 100, the size of a record");
    }

    @Test
    void recordsHaveAtLeastOneByte() {
        assertThatThrownBy(() -> records(300, 0))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage("records have 0 bytes, expected at least 1");
    }
}
