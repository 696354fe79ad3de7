package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.giraph.conf.GiraphConfiguration;
import org.heapspan.examples.giraph.PageRank;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that needs more storage than it may take. In a process of its own: some time later the master of a job that failed ends its JVM. */
@Tag("soak")
final class FullStorageTest {
    private static final String VALUES = "values=";

    @TempDir
    Path folder;

    /** Its argument is a folder. */
    static final class Job {
        private Job() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            GiraphConfiguration settings = Jobs.inSecondHeap(Jobs.plain(PageRank.class, folder), folder);
            // One region has no room for edges and messages.
            settings.set(WorkerSettings.CAPACITY, "16m");
            System.out.println(
                    VALUES + Jobs.run(settings, GiraphJobsTest.graph()).size());
            // Threads of Giraph go on.
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void failsTheJobAndSaysWhatToDo() throws Exception {
        JavaProcess.Result result = JavaProcess.of(Job.class)
                .options(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED")
                .arguments(folder.toString())
                .run();
        assertThat(result.output()).contains(VALUES + "0");
        assertThat(result.outputAndErrors()).contains("increase " + WorkerSettings.CAPACITY);
    }
}
