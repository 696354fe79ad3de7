package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The programs of {@code examples/native}, compiled as a user does it, write what their twins in Scala write. */
final class NativeTwinsIT {
    private static final Path EXAMPLES =
            SparkRun.HEAPSPAN_JAR.resolve("../../../../examples/native").normalize();
    private static final List<String> PROGRAMS = List.of(
            "word_count",
            "page_rank",
            "connected_components",
            "triangle_count",
            "kmeans",
            "logistic_regression",
            "terasort");

    private final Random random = new Random(28);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    @Tag("soak")
    void programsWriteWhatTheirTwinsWrite() throws Exception {
        Path programs = Files.createDirectory(folder.resolve("programs"));
        Path heapspan = Distribution.in(folder);
        for (String program : PROGRAMS) {
            build(heapspan, EXAMPLES.resolve(program + ".cpp"), programs.resolve(program + ".so"));
        }
        Path data = Files.createDirectory(folder.resolve("data"));
        makeData(data);
        Map<String, String> found = new SparkRun(Files.createDirectory(folder.resolve("run")), SparkRun.JDK_25)
                .withHeapspanOnClassPaths()
                .runWorkload("TwinsRun", programs.toString(), data.toString())
                .succeeded()
                .results();
        assertThat(found).hasSize(PROGRAMS.size()).containsEntry("twin-plane", "10 lines are the same");
        assertThat(found.entrySet())
                .allSatisfy(each -> assertThat(each.getValue())
                        .as(each.getKey())
                        .matches("[1-9][0-9]* (lines|bytes) are the same"));
    }

    private void build(Path heapspan, Path source, Path target) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        heapspan.toString(), "native", "build", source.toString(), "-o", target.toString())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", SparkRun.JDK_25.toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
    }

    /** Files of the names that the twins read. */
    private void makeData(Path data) throws IOException {
        List<String> words = IntStream.range(0, 2000)
                .mapToObj(i -> (i % 7 == 0 ? "é,(" : "w") + Integer.toString(i, 36))
                .toList();
        lines(data.resolve("english-novels-100.txt"), 5000, () -> {
            StringBuilder line = new StringBuilder(random.nextInt(20) == 0 ? "\t " : "");
            for (int i = random.nextInt(12); i > 0; i--) {
                line.append(words.get(random.nextInt(1 + random.nextInt(words.size()))))
                        .append(random.nextBoolean() ? " " : "\t\u0001");
            }
            return line.toString();
        });
        lines(data.resolve("cnr-2000.txt"), 6000, () -> edge(800));
        // Many small components.
        lines(data.resolve("ego-Twitter-undirected.txt"), 600, () -> edge(1000));
        lines(data.resolve("wiki-Vote.txt"), 3000, () -> random.nextInt(100) == 0 ? "# comment" : edge(120));
        lines(data.resolve("points-in-space.txt"), 4000, () -> numbers(3, random.nextInt(8)));
        lines(data.resolve("points-of-two-classes.txt"), 3000, () -> {
            int label = random.nextBoolean() ? 1 : -1;
            return label + " " + numbers(10, label);
        });
        byte[] records = new byte[100 * 3000];
        random.nextBytes(records);
        Files.write(data.resolve("records-to-sort.bin"), records);
    }

    private String edge(int vertices) {
        return random.nextInt(vertices) + "\t" + random.nextInt(1 + random.nextInt(vertices));
    }

    private String numbers(int count, int center) {
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < count; i++) {
            numbers.append(i == 0 ? "" : " ").append((center + random.nextGaussian()) / 10);
        }
        return numbers.toString();
    }

    private static void lines(Path file, int count, Supplier<String> line) throws IOException {
        Files.write(file, IntStream.range(0, count).mapToObj(i -> line.get()).toList());
    }
}
