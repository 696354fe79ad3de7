package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs a JVM of its own: one that is killed, those that verify their heap at each collection, one whose old generation fills. */
final class SecondHeapProcessTest {
    private static final long SEED = 20_260_101;

    @TempDir
    Path directory;

    /** A process with a second heap, which says so and waits to be killed. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            SecondHeap heap = SecondHeap.open(Path.of(arguments[0]), SecondHeapOptions.capacity(64 << 20));
            H2Sequence<Sample> sequence = heap.append(Label.of(1), Sample.list(0, 30_000));
            System.out.println("has " + sequence.elementCount());
            Thread.sleep(600_000);
        }
    }

    /** A process whose tagged roots do not fit in its heap. */
    static final class Hoarder {
        private Hoarder() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments[1].equals("watched")) {
                lowerAllThresholds();
            }
            List<H2Handle<byte[]>> handles = new ArrayList<>();
            try (SecondHeap heap = SecondHeap.open(
                    Path.of(arguments[0]), SecondHeapOptions.capacity(256 << 20).withThresholds(0.5, 0.2))) {
                Semaphore told = collectionsThatAreTold();
                for (int i = 0; i < 1200; i++) {
                    byte[] bytes = new byte[100_000];
                    bytes[i] = (byte) i;
                    handles.add(heap.tagRoot(bytes, Label.of(i / 50)));
                    if (i % 50 == 49) {
                        // The JVM tells of it some time after a collection, and this program is not to be faster than
                        // that.
                        System.gc();
                        if (!told.tryAcquire(Eventually.MOST_SECONDS, TimeUnit.SECONDS)) {
                            throw new AssertionError("the JVM did not tell of a collection");
                        }
                    }
                }
                for (int i = 0; i < handles.size(); i++) {
                    if (handles.get(i).get()[i] != (byte) i) {
                        throw new AssertionError("root " + i);
                    }
                }
                System.out.println("moved " + heap.statistics().movedRoots());
            }
        }

        /** A permit for each collection of the whole heap that listeners have been told of. The second heap is among them, and was there before. */
        private static Semaphore collectionsThatAreTold() {
            Semaphore told = new Semaphore(0);
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                ((NotificationEmitter) collector)
                        .addNotificationListener(
                                (notification, any) -> {
                                    GarbageCollectionNotificationInfo info = GarbageCollectionNotificationInfo.from(
                                            (CompositeData) notification.getUserData());
                                    if (info.getGcCause().equals("System.gc()")
                                            && info.getGcAction().equals("end of major GC")) {
                                        told.release();
                                    }
                                },
                                null,
                                null);
            }
            return told;
        }

        /** As other tools do that want to be told of the use of memory. */
        private static void lowerAllThresholds() {
            for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
                if (pool.isUsageThresholdSupported()) {
                    pool.setUsageThreshold(1);
                }
                if (pool.isCollectionUsageThresholdSupported()) {
                    pool.setCollectionUsageThreshold(1);
                }
            }
        }
    }

    private Process start(Class<?> program, List<String> options, String... arguments) throws IOException {
        return JavaProcess.of(program)
                .options(options)
                .arguments(directory.toString())
                .arguments(arguments)
                .startWithErrorsInOutput();
    }

    private static String outputOf(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void killedProcessLeavesNothing() throws Exception {
        Process process = start(Victim.class, List.of("-Xmx128m"));
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("has 30000");
            process.destroyForcibly().waitFor();
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:+UseSerialGC"})
    void heapVerifiesUnderLoad(String collector) throws Exception {
        List<String> options = new ArrayList<>(JavaProcess.VERIFICATION);
        options.addAll(List.of(collector, "-Xmx160m", "-Xmn24m"));
        Process process = start(SecondHeapLoad.class, options, String.valueOf(SEED), "4", "30");
        assertThat(outputOf(process)).contains("done");
    }

    @ParameterizedTest
    @CsvSource({
        "-XX:+UseG1GC, alone",
        "-XX:+UseG1GC, watched",
        "-XX:+UseParallelGC, alone",
        "-XX:+UseParallelGC, watched",
        "-XX:+UseSerialGC, alone"
    })
    void taggedRootsMoveWhenTheOldGenerationFills(String collector, String watched) throws Exception {
        Process process = start(Hoarder.class, List.of(collector, "-Xmx96m", "-Xmn24m"), watched);
        String output = outputOf(process);
        assertThat(output).containsPattern("moved [1-9]");
    }

    @Tag("once")
    @Test
    void loadFromManyThreads() throws Exception {
        SecondHeapLoad.run(directory, SEED, 8, 100, 0);
    }

    @Tag("once")
    @Test
    void loadFromManyThreadsEncrypted() throws Exception {
        SecondHeapLoad.run(directory, SEED, 4, 60, 128);
    }

    @Tag("once")
    @Test
    void loadOfThePortableEngine() throws Exception {
        Process process = start(
                SecondHeapLoad.class, List.of("-Xmx256m", "-Dheapspan.direct=false"), String.valueOf(SEED), "4", "40");
        assertThat(outputOf(process)).contains("done");
    }
}
