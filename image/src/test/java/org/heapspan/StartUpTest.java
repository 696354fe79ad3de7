package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.heapspan.testing.ChildJvm;
import org.junit.jupiter.api.Test;

/** What the first use costs; the times are printed, not judged: the machine may be busy. */
public final class StartUpTest {
    /** Main class of a child JVM. */
    public static final class FirstUse {
        private FirstUse() {}

        record Point(int x, int y) implements Serializable {}

        /** Prints times and allocated bytes of the first calls. */
        public static void main(String[] arguments) {
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long bytes = threads.getCurrentThreadAllocatedBytes();
            long start = System.nanoTime();
            Heapspan heapspan = Heapspan.create();
            long created = System.nanoTime();
            long createdBytes = threads.getCurrentThreadAllocatedBytes();
            Point copy = heapspan.decode(heapspan.encode(new Point(1, 2)), Point.class);
            long used = System.nanoTime();
            long usedBytes = threads.getCurrentThreadAllocatedBytes();
            System.out.println("copy=" + copy);
            System.out.println("create.micros=" + (created - start) / 1000);
            System.out.println("create.bytes=" + (createdBytes - bytes));
            System.out.println("first.micros=" + (used - created) / 1000);
            System.out.println("first.bytes=" + (usedBytes - createdBytes));
        }
    }

    @Test
    void needsLittleMemoryBeforeItsFirstUse() throws Exception {
        ChildJvm.Result result = ChildJvm.run(FirstUse.class, List.of("-Xmx64m"));
        assertThat(result.value("copy")).isEqualTo("Point[x=1, y=2]");
        assertThat(Long.parseLong(result.value("create.bytes"))).isLessThan(10 << 20);
        assertThat(Long.parseLong(result.value("first.bytes"))).isLessThan(20 << 20);
        System.out.println("first Heapspan.create(): " + result.value("create.micros") + " us, "
                + result.value("create.bytes") + " bytes; first encode and decode: " + result.value("first.micros")
                + " us, " + result.value("first.bytes") + " bytes");
    }

    @Test
    void worksInASmallHeap() throws Exception {
        assertThat(ChildJvm.run(FirstUse.class, List.of("-Xmx8m", "-XX:+UseSerialGC"))
                        .value("copy"))
                .isEqualTo("Point[x=1, y=2]");
    }
}
