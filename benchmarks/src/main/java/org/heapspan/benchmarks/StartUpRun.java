package org.heapspan.benchmarks;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.Heapspan;

/**
 * Main class of the JVMs that {@link StartUpReport} starts: what the first instance and the first record cost in a JVM that has done
 * nothing else. Measures with as few of the JDK's classes as possible, since those it starts are no longer new to Heapspan.
 */
public final class StartUpRun {
    /** A record as small as any. */
    record Point(int x, int y) implements Serializable {}

    private static final Path THREAD_TIMES = Path.of("/proc/thread-self/schedstat");

    private StartUpRun() {}

    /**
     * Prints times in microseconds, or bytes.
     *
     * @param arguments {@code nothing} to end at once, {@code times} or {@code bytes}
     */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "times" -> times();
            case "bytes" -> bytes();
            default -> {
                // The cost of the JVM itself.
            }
        }
    }

    private static void times() throws IOException {
        long[] wall = new long[4];
        long[] processor = new long[4];
        processorMicros();
        processor[0] = processorMicros();
        wall[0] = System.nanoTime();
        Heapspan heapspan = Heapspan.create();
        wall[1] = System.nanoTime();
        processor[1] = processorMicros();
        byte[] image = heapspan.encode(new Point(1, 2));
        wall[2] = System.nanoTime();
        processor[2] = processorMicros();
        Point copy = heapspan.decode(image, Point.class);
        wall[3] = System.nanoTime();
        processor[3] = processorMicros();
        if (copy == null || copy.y() != 2) {
            throw new IllegalStateException("the copy is " + copy);
        }
        StringBuilder line = new StringBuilder();
        for (int i = 1; i < 4; i++) {
            line.append((wall[i] - wall[i - 1]) / 1000).append(' ');
            line.append(processor[i] - processor[i - 1]).append(' ');
        }
        System.out.println(line);
    }

    /** Time that this thread has had a processor, which other programs disturb less; 0 where the system does not tell. */
    private static long processorMicros() throws IOException {
        if (!Files.isReadable(THREAD_TIMES)) {
            return 0;
        }
        String line = new String(Files.readAllBytes(THREAD_TIMES), StandardCharsets.US_ASCII);
        return Long.parseLong(line.substring(0, line.indexOf(' '))) / 1000;
    }

    private static void bytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadAllocatedBytes();
        Heapspan heapspan = Heapspan.create();
        long created = threads.getCurrentThreadAllocatedBytes();
        heapspan.decode(heapspan.encode(new Point(1, 2)), Point.class);
        long used = threads.getCurrentThreadAllocatedBytes();
        System.out.println((created - start) + " " + (used - created));
    }
}
