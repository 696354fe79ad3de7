package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Shuffles of every kind under the settings of Spark that change how they are written: they find what stock Spark finds. */
final class ShuffleIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    private static Outcome outcome;

    @BeforeAll
    static void run() throws Exception {
        outcome = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .with("spark.master", "local[2,4]")
                .with("spark.driver.memory", "1g")
                .with("spark.driver.extraJavaOptions", "-Dorg.xerial.snappy.lib.path=" + snappyLibraries())
                .run("ShuffleSettingsApplication")
                .succeeded();
    }

    /**
     * A folder with snappy's native library for glibc. Left to itself, snappy-java 1.1.10 takes the one for musl on every machine that has the file
     * {@code /lib/ld-musl-x86_64.so.1}, and fails where that is installed beside glibc.
     */
    private static Path snappyLibraries() throws IOException {
        Path libraries = Files.createDirectories(folder.resolve("snappy"));
        try (Stream<Path> jars = Files.list(SparkRun.SPARK.resolve("jars"))) {
            Path jar = jars.filter(file -> file.getFileName().toString().startsWith("snappy-java-"))
                    .findFirst()
                    .orElseThrow();
            String name = System.mapLibraryName("snappyjava");
            try (ZipFile zip = new ZipFile(jar.toFile());
                    InputStream library =
                            zip.getInputStream(zip.getEntry("org/xerial/snappy/native/Linux/x86_64/" + name))) {
                Files.copy(library, libraries.resolve(name));
            }
        }
        return libraries;
    }

    /** Results by the settings under which they were found. */
    private static Map<String, String> all(String what) {
        Map<String, String> found = new TreeMap<>();
        outcome.results().forEach((name, value) -> {
            if (name.endsWith(": " + what)) {
                found.put(name.substring(0, name.length() - what.length() - 2), value);
            }
        });
        return found;
    }

    @Test
    void resultsAreThoseOfStockSpark() {
        assertThat(outcome.results().get("stock: results")).isEqualTo("16");
        assertThat(all("results that differ"))
                .hasSize(13)
                .allSatisfy((settings, differences) ->
                        assertThat(differences).as(settings).isEqualTo("{}"));
    }

    @Test
    void recordsAndBytesThatWereWrittenAreThoseThatWereRead() {
        Map<String, String> balances = all("metrics");
        // Adaptive execution reads some twice.
        String stock = balances.remove("stock");
        String records = stock.substring(0, stock.indexOf(" records"));
        assertThat(balances.remove("defaults")).startsWith(records + " records ");
        assertThat(balances.remove("raw")).startsWith(records + " records ");
        assertThat(balances)
                .hasSize(12)
                .allSatisfy(
                        (settings, balance) -> assertThat(balance).as(settings).isEqualTo("balanced"));
    }

    @Test
    void recordsAreSpilledWhereTheSettingsSaySo() {
        assertThat(all("spilled"))
                .hasSize(15)
                .allSatisfy((settings, spilled) -> assertThat(spilled)
                        .as(settings)
                        .isEqualTo(String.valueOf(
                                List.of("spill", "small", "memory").stream().anyMatch(settings::startsWith))));
    }

    @Test
    void recordsForWhichThereIsNoMemoryAreSpilledAndArrive() {
        assertThat(outcome.results())
                .containsEntry("memory: as expected", "true")
                .containsEntry("memory: spilled", "true");
        assertThat(outcome.lines("GroupShuffleWriter: Task ")).isNotEmpty();
    }

    @Test
    void memoryIsTold() {
        Map<String, String> peaks = all("peak memory");
        peaks.remove("stock");
        assertThat(peaks).hasSize(13).doesNotContainValue("false");
    }

    @Test
    void noTemporaryFileIsLeft() {
        assertThat(all("files left"))
                .hasSize(15)
                .allSatisfy((settings, files) -> assertThat(files).as(settings).isEqualTo("[]"));
    }

    @Test
    void pairsOfNumbersAreTakenOverFromSparksKryo() {
        Map<String, String> serializers = all("serializer of pairs of numbers");
        assertThat(serializers.remove("stock")).isEqualTo("KryoSerializer");
        assertThat(serializers)
                .hasSize(2)
                .allSatisfy((settings, serializer) ->
                        assertThat(serializer).as(settings).isEqualTo("HeapspanSerializer"));
    }

    /** Whoever registers classes counts on Kryo's own serializers for them. */
    @Test
    void kryoStaysWhereTheApplicationSetsItUp() {
        assertThat(all("serializer that stays"))
                .hasSize(2)
                .allSatisfy((setting, serializer) ->
                        assertThat(serializer).as(setting).isEqualTo("KryoSerializer"));
    }

    @Test
    void aChangedBitIsNoticed() {
        assertThat(outcome.results()).containsEntry("damage", "right");
        assertThat(outcome.results().get("damage, uncompressed"))
                .startsWith("failed: ")
                .contains("the group of records that begins at byte");
    }
}
