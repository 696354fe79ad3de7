package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.heapspan.examples.giraph.LabelPropagation;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker that is killed loses its second heap. Another one goes on from Giraph's checkpoint. On one machine Giraph has its master and its worker
 * in one JVM, so both are killed, and a new job takes the checkpoint over.
 */
@Tag("soak")
final class KilledWorkerTest {
    /** After the checkpoint of superstep 4. */
    private static final long KILLED_IN_SUPERSTEP = 6;

    private static final String SAYS = "waits in superstep";

    @TempDir
    Path folder;

    /** Says when a superstep begins, and waits to be killed. */
    public static final class Waiter extends DefaultWorkerObserver {
        @Override
        public void preSuperstep(long superstep) {
            if (superstep == KILLED_IN_SUPERSTEP) {
                System.out.println(SAYS + " " + superstep);
                try {
                    Thread.sleep(600_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Master and worker. */
    static final class Worker {
        private Worker() {}

        /** The arguments are a folder, and the job whose checkpoint is taken over, if there is one. */
        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            GiraphConfiguration settings = GiraphJobsTest.labels(folder);
            List<String> graph = GiraphJobsTest.graph();
            Path own = folder.resolve("first");
            if (arguments.length == 1) {
                settings.addWorkerObserverClass(Waiter.class);
            } else {
                // Of the graph it gets nothing but the checkpoint.
                settings.set("giraph.restart.jobId", arguments[1]);
                graph = List.of();
                own = folder.resolve("second");
            }
            Map<Long, String> values =
                    Jobs.run(settings, graph, folder.resolve("checkpoints"), Files.createDirectories(own));
            Files.writeString(folder.resolve("values"), values.toString());
            // Threads of Giraph go on.
            Runtime.getRuntime().halt(0);
        }
    }

    private JavaProcess worker(String... arguments) {
        return JavaProcess.of(Worker.class)
                .options(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED")
                .arguments(arguments);
    }

    @Test
    void anotherWorkerGoesOnFromTheCheckpoint() throws Exception {
        Path checkpoints = Files.createDirectories(folder.resolve("checkpoints"));
        Process first = worker(folder.toString()).start();
        try (BufferedReader output = first.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.lines().filter(line -> line.startsWith(SAYS)).findFirst())
                    .hasValue(SAYS + " " + KILLED_IN_SUPERSTEP);
        } finally {
            first.destroyForcibly().waitFor();
        }
        assertThat(filesOf(folder.resolve("second-heap")))
                .as("files of the killed worker")
                .isEmpty();

        String job = filesOf(checkpoints).get(0);
        worker(folder.toString(), job).run().succeeded();
        Map<Long, String> expected = Jobs.run(labelsOfGiraphAlone(), GiraphJobsTest.graph());
        assertThat(expected).hasSizeGreaterThan(1000);
        assertThat(folder.resolve("values")).hasContent(expected.toString());
    }

    private GiraphConfiguration labelsOfGiraphAlone() {
        GiraphConfiguration settings = Jobs.plain(LabelPropagation.class, folder);
        settings.setInt(LabelPropagation.ITERATIONS, 5);
        return settings;
    }

    private static List<String> filesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::getFileName).map(Path::toString).toList();
        }
    }
}
