package org.heapspan.benchmarks.giraph;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.heapspan.benchmarks.graph.GraphJob;

/** Reads the clocks of a process between the phases of its one job. What Giraph needs to start and to end is in none of them. */
public final class Clock extends DefaultWorkerObserver {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path TRANSFERS = Path.of("/proc/self/io");

    private enum Phase {
        BEGUN,
        LOADED,
        COMPUTED,
        SAVED
    }

    private static final Map<Phase, Reading> READINGS = new EnumMap<>(Phase.class);
    private static int supersteps;

    private record Reading(
            long nanos,
            long collectionMillis,
            long fullCollections,
            long processorNanos,
            long readBytes,
            long writtenBytes,
            long residentPeakBytes) {
        static Reading now() {
            try {
                return new Reading(
                        System.nanoTime(),
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                                .sum(),
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .filter(Reading::isFull)
                                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                                .sum(),
                        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                                .getProcessCpuTime(),
                        number(TRANSFERS, "read_bytes:"),
                        number(TRANSFERS, "write_bytes:"),
                        number(STATUS, "VmHWM:") << 10);
            } catch (IOException e) {
                throw new UncheckedIOException("the system does not tell of this process", e);
            }
        }

        /** G1 and Parallel have one for full collections. */
        private static boolean isFull(GarbageCollectorMXBean collector) {
            return collector.getName().equals("G1 Old Generation")
                    || collector.getName().equals("PS MarkSweep");
        }

        private static long number(Path file, String key) throws IOException {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            throw new IOException(file + " has no line " + key);
        }
    }

    /** For Giraph. */
    public Clock() {}

    private static synchronized void read(Phase phase) {
        READINGS.put(phase, Reading.now());
    }

    @Override
    public void preLoad() {
        read(Phase.BEGUN);
    }

    @Override
    public void preApplication() {
        read(Phase.LOADED);
    }

    @Override
    public void preSuperstep(long superstep) {
        supersteps++;
    }

    @Override
    public void postApplication() {
        read(Phase.COMPUTED);
    }

    @Override
    public void postSave() {
        read(Phase.SAVED);
    }

    /** Sets the figures of the job that has ended. */
    static synchronized void read(GraphJob job) {
        Reading begun = READINGS.get(Phase.BEGUN);
        Reading loaded = READINGS.get(Phase.LOADED);
        Reading computed = READINGS.get(Phase.COMPUTED);
        Reading saved = READINGS.get(Phase.SAVED);
        job.supersteps = supersteps;
        job.loadSeconds = seconds(begun, loaded);
        job.computeSeconds = seconds(loaded, computed);
        job.saveSeconds = seconds(computed, saved);
        job.collectionSeconds = (saved.collectionMillis - begun.collectionMillis) / 1e3;
        job.fullCollections = saved.fullCollections - begun.fullCollections;
        job.processorSeconds = (saved.processorNanos - begun.processorNanos) / 1e9;
        job.readBytes = saved.readBytes - begun.readBytes;
        job.writtenBytes = saved.writtenBytes - begun.writtenBytes;
        job.residentPeakBytes = saved.residentPeakBytes;
    }

    private static double seconds(Reading from, Reading to) {
        return (to.nanos - from.nanos) / 1e9;
    }
}
