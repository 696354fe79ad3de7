package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AllocatedBytesTest {
    private static final int ARRAYS = 1000;
    private static final int LENGTH = 10_000;

    @SuppressWarnings("unused") // Keeps arrays from being optimized away.
    private byte[] latest = {};

    @Test
    void objectsOfTheThreadAreCountedExactly() {
        assertThat(AllocatedBytes.areCounted()).isTrue();
        AllocatedBytes.ofCurrentThread();
        long before = AllocatedBytes.ofCurrentThread();
        for (int i = 0; i < ARRAYS; i++) {
            latest = new byte[LENGTH];
        }
        long allocated = AllocatedBytes.ofCurrentThread() - before;
        assertThat(allocated).isBetween((long) ARRAYS * LENGTH, (long) ARRAYS * (LENGTH + 32) + 10_000);
    }

    @Test
    void thoseOfOtherThreadsAreNot() throws InterruptedException {
        Thread other = new Thread(() -> latest = new byte[ARRAYS * LENGTH]);
        long before = AllocatedBytes.ofCurrentThread();
        other.start();
        other.join();
        assertThat(AllocatedBytes.ofCurrentThread() - before).isLessThan(100_000);
    }
}
