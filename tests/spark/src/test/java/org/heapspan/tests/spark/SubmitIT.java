package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** {@code heapspan spark-submit}, as it is shipped, with the real Spark. */
final class SubmitIT {
    private static final String HEAPSPAN = "org.heapspan.spark.HeapspanSerializer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void turnsHeapspanOnAndEndsWithSparksExitCode() throws Exception {
        Outcome good = new SparkRun(folder, SparkRun.JDK_17)
                .bySubmitting(List.of())
                .with("spark.master", "local[2]")
                .run("SettingsApplication");
        assertThat(good.succeeded().results()).containsEntry("serializer of the driver", HEAPSPAN);

        Outcome bad = new SparkRun(folder, SparkRun.JDK_17)
                .bySubmitting(List.of())
                .with("spark.master", "local[2]")
                .with("spark.heapspan.groupBytes", "much")
                .run("SettingsApplication");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.output()).contains("spark.heapspan.groupBytes is 'much'");
    }

    /** Making the archive takes a minute and more, so that only one version is in every run of the tests, and serves other tests. */
    @Test
    void withSharedClassDataClassWordsAreTheSameInAllJvms() throws Exception {
        assertSameClassWords(SparkRun.JDK_25);
    }

    @Test
    @Tag("soak")
    void withSharedClassDataClassWordsAreTheSameInAllJvmsOfJdk17() throws Exception {
        assertSameClassWords(SparkRun.JDK_17);
    }

    /** Of classes of the JDK, Scala, Spark, the application and the jars it brings. */
    private void assertSameClassWords(Path jdk) throws Exception {
        Outcome outcome = SparkClasses.of(jdk).submitted();
        assertThat(outcome.succeeded().results()).containsEntry("serializer of the executors", "[" + HEAPSPAN + "]");
        assertThat(outcome.lines("heapspan: made ")).as("%s", outcome.output()).hasSize(1);
        String words = outcome.results().get("driver");
        assertThat(words).contains("ArrayList=", "Tuple2=", "CompactBuffer=", "User=", "Reading=");
        assertThat(outcome.results()).containsEntry("executor 0", words).containsEntry("executor 1", words);
    }
}
