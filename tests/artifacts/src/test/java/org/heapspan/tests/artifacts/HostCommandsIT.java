package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Jobs that the commands of Flink and Giraph start, with the jars of {@code dist/} where the documentation puts them. No process of Flink has the
 * classes of a job on its class path, and that of Giraph has none of Heapspan.
 */
@Tag("soak")
@Execution(ExecutionMode.CONCURRENT)
final class HostCommandsIT {
    private static final Path EXAMPLES = Path.of(System.getProperty("heapspan.root"), "examples");

    private static final String JOB = "org.heapspan.examples.flink.Example10Orders";

    /** As the page of Flink says for 1000 orders. */
    private static final String RESULT = """
            customer 0: 500 items, 175500 cents
            customer 1: 500 items, 174750 cents
            customer 2: 500 items, 175000 cents
            customer 3: 500 items, 175250 cents
            type: HeapspanTypeInformation<org.heapspan.examples.flink.Example10Orders$Order>
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void assumeAdapters() throws IOException {
        PublishedArtifact.assumeAdapters();
    }

    private static Path target(String host) {
        return EXAMPLES.resolve(host).resolve("target");
    }

    private static Path ourJar(String host) {
        return Path.of(System.getProperty("heapspan." + host + ".jar"));
    }

    private static Path jarOfJob(String host) {
        return target(host).resolve("heapspan-examples-" + host + ".jar");
    }

    private static String release(String host) throws IOException {
        return Files.readString(target(host).resolve("run.classpath"));
    }

    @Test
    void flinkRunsAJobWhoseClusterHasOurJar() throws Exception {
        try (FlinkProcesses flink = new FlinkProcesses(folder, ourJar("flink") + ":" + release("flink"))) {
            assertThat(flink.run("-c", JOB, jarOfJob("flink").toString())).contains(RESULT);
            // Flink loads the classes of such a job from its jar, although its lib has them too.
            assertThat(flink.run("-c", JOB, jobWithOurClasses().toString())).contains(RESULT);
        }
    }

    @Test
    void flinkRunsAJobThatBringsOurClasses() throws Exception {
        try (FlinkProcesses flink = new FlinkProcesses(folder, release("flink"))) {
            assertThat(flink.run("-c", JOB, jobWithOurClasses().toString())).contains(RESULT);
        }
    }

    private Path jobWithOurClasses() throws IOException {
        Path all = folder.resolve("job-with-classes.jar");
        Set<String> names = new HashSet<>();
        try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(all))) {
            for (Path jar : List.of(jarOfJob("flink"), ourJar("flink"))) {
                try (JarFile input = new JarFile(jar.toFile())) {
                    for (Enumeration<JarEntry> entries = input.entries(); entries.hasMoreElements(); ) {
                        JarEntry entry = entries.nextElement();
                        if (!entry.isDirectory() && names.add(entry.getName())) {
                            output.putNextEntry(new JarEntry(entry.getName()));
                            try (InputStream bytes = input.getInputStream(entry)) {
                                bytes.transferTo(output);
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    @Test
    void giraphRunsAJobThatGetsOurJarByLibjars() throws Exception {
        Path graph = Files.writeString(folder.resolve("graph.txt"), "1 2 3\n2 3\n3 1\n");
        Path ranks = folder.resolve("ranks");
        Path heap = folder.resolve("heap");
        String output = Command.output(
                folder,
                Command.java(
                        List.of("java.lang", "java.lang.invoke", "java.util"),
                        // Giraph finds the program on its own class path only, where `hadoop jar` puts the jar of a
                        // job.
                        jarOfJob("giraph") + ":" + release("giraph"),
                        "org.apache.giraph.GiraphRunner",
                        "-libjars",
                        ourJar("giraph").toString(),
                        "-Dmapreduce.framework.name=local",
                        "-Dmapred.job.tracker=local",
                        "-Dhadoop.tmp.dir=" + folder.resolve("hadoop"),
                        "org.heapspan.examples.giraph.PageRank",
                        "-mc",
                        "org.heapspan.examples.giraph.PageRank$Master",
                        "-vif",
                        "org.heapspan.examples.giraph.AdjacencyInputFormat",
                        "-vip",
                        graph.toString(),
                        "-vof",
                        "org.apache.giraph.io.formats.IdWithValueTextOutputFormat",
                        "-op",
                        ranks.toString(),
                        "-w",
                        "1",
                        "-ca",
                        "giraph.SplitMasterWorker=false",
                        "-ca",
                        "giraph.localTestMode=true",
                        "-ca",
                        // Another job may run on this machine, with the port that is the default.
                        "giraph.zkServerPort=" + Ports.take(),
                        "-ca",
                        "giraph.outEdgesClass=org.heapspan.giraph.SecondHeapEdges",
                        "-ca",
                        "giraph.messageStoreFactoryClass=org.heapspan.giraph.SecondHeapMessageStoreFactory",
                        "-ca",
                        "giraph.worker.observers=org.heapspan.giraph.SecondHeapObserver",
                        "-ca",
                        "giraph.heapspan.directory=" + heap),
                Map.of());
        assertThat(ExampleScriptsIT.linesOfParts(ranks))
                .as(output)
                .isEqualTo("1\t0.38891305880091237\n2\t0.21441647059617103\n3\t0.3966704706029164".indent(0));
        // The second heap has made it, and left nothing in it.
        assertThat(heap).isEmptyDirectory();
    }
}
