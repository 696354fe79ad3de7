package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.heapspan.examples.giraph.PageRank;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.SmallDisk;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that needs more storage than it may take. In a process of its own: some time later the master of a job that failed ends its JVM. */
@Tag("soak")
final class FullStorageTest {
    private static final String VALUES = "values=";

    @TempDir
    Path folder;

    /** As if the Java heap had filled. */
    public static final class Collector extends DefaultWorkerObserver {
        @Override
        public void preSuperstep(long superstep) {
            System.gc();
        }
    }

    /** Its arguments are a folder, the capacity of the second heap, and whether pages move on a hint. */
    static final class Job {
        private Job() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            GiraphConfiguration settings = Jobs.inSecondHeap(Jobs.plain(PageRank.class, folder), folder);
            settings.set(WorkerSettings.CAPACITY, arguments[1]);
            if (!Boolean.parseBoolean(arguments[2])) {
                settings.setBoolean(WorkerSettings.TRANSFER_HINT, false);
                // What this JVM has on its heap is always more.
                settings.set(WorkerSettings.HIGH_THRESHOLD, "0.0001");
                settings.set(WorkerSettings.LOW_THRESHOLD, "0");
                settings.addWorkerObserverClass(Collector.class);
            }
            System.out.println(
                    VALUES + Jobs.run(settings, GiraphJobsTest.graph()).size());
            // Threads of Giraph go on.
            Runtime.getRuntime().halt(0);
        }
    }

    private JavaProcess job(String capacity, boolean hint) {
        return JavaProcess.of(Job.class)
                .options(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED")
                .arguments(folder.toString(), capacity, Boolean.toString(hint));
    }

    /** One region has no room for edges and messages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failsTheJobAndSaysWhatToDo(boolean hint) throws Exception {
        JavaProcess.Result result = job("16m", hint).run();
        assertThat(result.output()).contains(VALUES + "0");
        assertThat(result.outputAndErrors()).contains("increase " + WorkerSettings.CAPACITY);
    }

    /** It has less space than the second heap may take. The first size has no room for the edges, the second one for the messages. */
    @ParameterizedTest
    @ValueSource(strings = {"size=128k", "size=900k"})
    void aFullDiskFailsTheJobAndSaysWhatToDo(String size) throws Exception {
        Path heap = Files.createDirectory(folder.resolve("second-heap"));
        assumeThat(SmallDisk.isPossible(heap))
                .as("a file system can be mounted")
                .isTrue();
        JavaProcess.Result result =
                job("256m", true).within(SmallDisk.mounting(size, heap)).run();
        assertThat(result.output()).contains(VALUES + "0");
        assertThat(result.outputAndErrors()).contains("No space left on device", "Free space on the device");
    }
}
