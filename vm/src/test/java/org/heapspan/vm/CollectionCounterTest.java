package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The counter of collections: every collection counts, and nothing moves while it stands still. */
@Tag("once")
class CollectionCounterTest {
    static Stream<Arguments> collectors() {
        return Stream.of(Jdk.values())
                .flatMap(jdk -> Stream.of("-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:+UseSerialGC")
                        .map(flag -> Arguments.of(jdk, flag)));
    }

    @ParameterizedTest
    @MethodSource("collectors")
    void countsEveryCollectionAndNothingMovesBetweenEqualReadings(Jdk jdk, String collector) throws Exception {
        Result result = JavaProcess.of(jdk, Probe.class)
                .options(JavaProcess.BOTH_COMPILERS)
                .options(collector, "-Xmx64m", "-Xmn16m")
                .run()
                .succeeded();
        // Parallel empties the young generation first and counts that as one more.
        assertThat(Integer.parseInt(result.value("full"))).isBetween(1, 2);
        assertThat(Integer.parseInt(result.value("counted")))
                .isGreaterThanOrEqualTo(Integer.parseInt(result.value("reported")));
        assertThat(Integer.parseInt(result.value("reported"))).isGreaterThanOrEqualTo(10);
        assertThat(Integer.parseInt(result.value("moves"))).isPositive();
        assertThat(result.value("movesWithoutCount")).isEqualTo("0");
    }

    /** Watches the counter and the addresses of a few objects while garbage is made. */
    static final class Probe {
        private static final int WATCHED = 64;
        private static final int YOUNG_COLLECTIONS = 20;

        static volatile Object garbage = "";

        public static void main(String[] args) {
            VirtualMachine machine = VirtualMachine.current();
            RawMemory memory = machine.memory();
            long address = machine.collectionCounterAddress();

            int beforeFull = memory.getIntVolatile(null, address);
            System.gc();
            System.out.println("full=" + (memory.getIntVolatile(null, address) - beforeFull));

            int before = memory.getIntVolatile(null, address);
            long reportedBefore = reported();
            Object[] watched = new Object[WATCHED];
            int moves = 0;
            int movesWithoutCount = 0;
            int base = memory.arrayBaseOffset(Object[].class);
            int scale = memory.arrayIndexScale(Object[].class);
            while (reported() - reportedBefore < YOUNG_COLLECTIONS) {
                // A few fresh objects each time: they move at their first collection.
                for (int i = 0; i < WATCHED; i++) {
                    watched[i] = new Object();
                }
                for (int round = 0; round < 2_000; round++) {
                    int i = round % WATCHED;
                    int countBefore = memory.getIntVolatile(null, address);
                    int wordBefore = memory.getInt(watched, base + (long) i * scale);
                    garbage = new byte[1024];
                    int wordAfter = memory.getInt(watched, base + (long) i * scale);
                    int countAfter = memory.getIntVolatile(null, address);
                    if (wordBefore != wordAfter) {
                        moves++;
                        if (countBefore == countAfter) {
                            movesWithoutCount++;
                        }
                    }
                }
            }
            System.out.println("reported=" + (reported() - reportedBefore));
            System.out.println("counted=" + (memory.getIntVolatile(null, address) - before));
            System.out.println("moves=" + moves);
            System.out.println("movesWithoutCount=" + movesWithoutCount);
        }

        private static long reported() {
            return ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .filter(bean -> !bean.getName().contains("Concurrent"))
                    .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                    .sum();
        }
    }
}
