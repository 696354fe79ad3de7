package org.heapspan.benchmarks.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.heapspan.exchange.GlobalHeap;

/** The receiver of {@link DeduplicationMeasurement}: says how much of its Java heap network and latest ranks take. */
final class DeduplicationReceiver {
    private static final int COLLECTIONS = 3;

    private DeduplicationReceiver() {}

    public static void main(String[] arguments) {
        // What a first read needs besides the objects; this heap's shared values go with it.
        try (GlobalHeap heap = GlobalHeap.connect(arguments[0])) {
            read(heap, DeduplicationMeasurement.ranks(0, 0));
        }
        try (GlobalHeap heap = GlobalHeap.connect(arguments[0])) {
            List<Object[]> kept = new ArrayList<>();
            long before = usedBytes();
            for (int partition = 0; partition < DeduplicationMeasurement.PARTITIONS; partition++) {
                kept.add(read(heap, DeduplicationMeasurement.network(partition)));
            }
            for (int round = 0; round < DeduplicationMeasurement.RANK_ROUNDS; round++) {
                for (int partition = 0; partition < DeduplicationMeasurement.PARTITIONS; partition++) {
                    Object[] ranks = read(heap, DeduplicationMeasurement.ranks(round, partition));
                    if (round == DeduplicationMeasurement.RANK_ROUNDS - 1) {
                        kept.add(ranks);
                    }
                }
            }
            long used = usedBytes() - before;
            if (kept.size() != 2 * DeduplicationMeasurement.PARTITIONS) {
                throw new IllegalStateException("something is missing");
            }
            System.out.println(used);
        }
    }

    private static Object[] read(GlobalHeap heap, String key) {
        return Objects.requireNonNull(heap.get(key, Object[].class));
    }

    private static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
