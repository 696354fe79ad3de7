package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.heapspan.testing.JavaProcess;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on YARN, in both deploy modes: with the plug-in they find what they find without it. */
@Tag("yarn")
final class YarnIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    private static Path yarn;
    private static Process cluster;

    @BeforeAll
    static void start() throws Exception {
        yarn = Files.createDirectories(folder.resolve("yarn"));
        Path log = yarn.resolve("log");
        cluster = new ProcessBuilder(
                        SparkRun.JDK_17.resolve("bin/java").toString(),
                        "-Xmx512m",
                        "-cp",
                        JavaProcess.testClassPath() + File.pathSeparator + SparkRun.SPARK.resolve("jars/*"),
                        YarnCluster.class.getName(),
                        yarn.toString())
                .directory(yarn.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        SparkRun.awaitText(cluster, log, "started");
    }

    @AfterAll
    static void end() throws InterruptedException {
        if (cluster != null) {
            cluster.descendants().forEach(ProcessHandle::destroyForcibly);
            cluster.destroyForcibly().waitFor();
        }
    }

    private static SparkRun newRun(String name, String deployMode) throws IOException {
        String java = SparkRun.JDK_17.toString();
        return new SparkRun(Files.createDirectories(folder.resolve(name)), SparkRun.JDK_17)
                .onYarn(yarn)
                .with("spark.submit.deployMode", deployMode)
                .with("spark.executor.instances", "2")
                // Jobs begin when both are there, however slow the machine is.
                .with("spark.scheduler.minRegisteredResourcesRatio", "1")
                .with("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
                .with("spark.executor.memory", "512m")
                .with("spark.yarn.jars", "local:" + SparkRun.SPARK.resolve("jars/*"))
                .with("spark.yarn.stagingDir", yarn.resolve("staging").toString())
                .with("spark.yarn.appMasterEnv.JAVA_HOME", java)
                .with("spark.executorEnv.JAVA_HOME", java)
                // A driver in the cluster does not ask for spark.driver.host.
                .with("spark.yarn.appMasterEnv.SPARK_LOCAL_IP", "127.0.0.1")
                .with("spark.executorEnv.SPARK_LOCAL_IP", "127.0.0.1")
                .with("spark.shuffle.spill.numElementsForceSpillThreshold", "1500");
    }

    private static Outcome run(String name, String deployMode, boolean heapspan) throws Exception {
        SparkRun run = newRun(name, deployMode);
        if (heapspan) {
            run.withHeapspan();
        }
        return run.run("JobsApplication", folder.resolve(name + " kept").toString(), "false")
                .succeeded();
    }

    @Test
    void jobsFindWhatTheyFindWithoutThePlugIn() throws Exception {
        Outcome stock = run("stock", "client", false);
        for (String deployMode : List.of("client", "cluster")) {
            Outcome heapspan = run(deployMode, deployMode, true);
            assertThat(JobsIT.comparable(heapspan)).containsExactlyInAnyOrderEntriesOf(JobsIT.comparable(stock));
            assertThat(heapspan.results())
                    .containsEntry("serializer of the driver", JobsIT.SERIALIZER)
                    .containsEntry("serializer of the executors", "[" + JobsIT.SERIALIZER + "]")
                    .containsEntry("serializer of a shuffle", JobsIT.SERIALIZER)
                    .containsEntry("executors", "[1, 2]");
            if (deployMode.equals("client")) {
                assertThat(heapspan.lines("serializer on, shuffle on, broadcasts on"))
                        .hasSize(1);
                assertThat(heapspan.lines("Heapspan: executor ")).hasSize(2);
            }
        }
    }
}
