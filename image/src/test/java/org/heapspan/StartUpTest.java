package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;

/** What the first use costs in memory, classes and threads. {@code ./dev bench startup} measures the time. */
public final class StartUpTest {
    /** Main class of a child JVM. */
    public static final class FirstUse {
        private FirstUse() {}

        record Point(int x, int y) implements Serializable {}

        /** Prints what the first calls allocated, loaded and started. */
        public static void main(String[] arguments) {
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            var classes = ManagementFactory.getClassLoadingMXBean();
            long startedThreads = threads.getTotalStartedThreadCount();
            long loadedClasses = classes.getTotalLoadedClassCount();
            long bytes = threads.getCurrentThreadAllocatedBytes();
            Heapspan heapspan = Heapspan.create();
            long createdBytes = threads.getCurrentThreadAllocatedBytes();
            Point copy = heapspan.decode(heapspan.encode(new Point(1, 2)), Point.class);
            long usedBytes = threads.getCurrentThreadAllocatedBytes();
            System.out.println("create.bytes=" + (createdBytes - bytes));
            System.out.println("first.bytes=" + (usedBytes - createdBytes));
            System.out.println("classes=" + (classes.getTotalLoadedClassCount() - loadedClasses));
            System.out.println("threads=" + (threads.getTotalStartedThreadCount() - startedThreads));
            System.out.println("copy=" + copy);
        }
    }

    private static long number(JavaProcess.Result result, String key) {
        return Long.parseLong(result.value(key));
    }

    @Test
    void needsLittleForItsFirstUse() throws Exception {
        JavaProcess.Result result = JavaProcess.run(FirstUse.class, List.of("-Xmx64m"));
        assertThat(result.value("copy")).isEqualTo("Point[x=1, y=2]");
        assertThat(number(result, "create.bytes")).isLessThan(1 << 20);
        assertThat(number(result, "first.bytes")).isLessThan(6 << 20);
        assertThat(number(result, "classes")).isLessThan(800);
        assertThat(number(result, "threads")).isZero();
    }

    @Test
    void worksInASmallHeap() throws Exception {
        assertThat(JavaProcess.run(FirstUse.class, List.of("-Xmx8m", "-XX:+UseSerialGC"))
                        .value("copy"))
                .isEqualTo("Point[x=1, y=2]");
    }
}
