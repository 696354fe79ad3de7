package org.heapspan.image.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("once")
final class IdentityTableTest {
    /** The two ways to hash. */
    enum Keys {
        ADDRESSES {
            @Override
            IdentityTable table() {
                return new IdentityTable(Access.ADDRESSES);
            }
        },
        IDENTITY_HASHES {
            @Override
            IdentityTable table() {
                return new IdentityTable(new IdentityTable.Addresses(null, 0));
            }
        };

        abstract IdentityTable table();
    }

    /** Plain code: it is called millions of times. */
    private static void assertNumber(int expected, int number) {
        if (number != expected) {
            throw new AssertionError("expected " + expected + ", found " + number);
        }
    }

    @ParameterizedTest
    @EnumSource
    void numbersObjectsInTheirOrder(Keys keys) {
        IdentityTable table = keys.table();
        Object[] objects = new Object[100_000];
        for (int i = 0; i < objects.length; i++) {
            // Equal, but not the same.
            objects[i] = new int[0];
            assertNumber(-1, table.track(objects[i]));
            assertNumber(i / 2, table.track(objects[i / 2]));
        }
        assertThat(table.count()).isEqualTo(objects.length);
        for (int i = 0; i < objects.length; i++) {
            assertNumber(i, table.track(objects[i]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void startsAnewAfterClear(Keys keys) {
        IdentityTable table = keys.table();
        Object[] objects = new Object[70_000];
        java.util.Arrays.setAll(objects, i -> new int[1]);
        for (int round = 0; round < 200; round++) {
            // Small, large and empty scopes in turn: tables are kept, dropped and grown.
            int count = round % 40 == 0 ? objects.length : round % 7 * 11;
            for (int i = 0; i < count; i++) {
                assertNumber(-1, table.track(objects[objects.length - 1 - i]));
            }
            for (int i = 0; i < count; i++) {
                assertNumber(i, table.track(objects[objects.length - 1 - i]));
            }
            table.clear();
            assertThat(table.count()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void looksForAnyNumberOfObjectsThatHaveNone(Keys keys) {
        IdentityTable table = keys.table();
        Object[] objects = new Object[40];
        java.util.Arrays.setAll(objects, i -> new int[1]);
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < objects.length; i++) {
                assertNumber(-1, table.track(objects[i]));
                for (int k = 0; k < 50; k++) {
                    assertNumber(-1, table.find(new int[1]));
                }
                assertNumber(-1, table.track(new int[1]));
                table.takeBackLatest();
                assertThat(table.count()).isEqualTo(i + 1);
                assertNumber(i / 2, table.find(objects[i / 2]));
            }
            table.clear();
            // The number behind the last is now the first.
            assertNumber(-1, table.find(objects[0]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void findsSkippedObjects(Keys keys) {
        IdentityTable table = keys.table();
        List<Object> objects = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Object object = new int[1];
            objects.add(object);
            if (i % 3 == 0) {
                table.skip(object);
            } else {
                assertNumber(-1, table.track(object));
            }
            for (int earlier = 0; earlier <= i; earlier++) {
                if (earlier % 3 != 0) {
                    assertNumber(earlier, table.find(objects.get(earlier)));
                }
            }
        }
        assertThat(table.count()).isEqualTo(500);
    }

    @ParameterizedTest
    @EnumSource
    void forgetsTheLatestObjects(Keys keys) {
        IdentityTable table = keys.table();
        Object[] objects = new Object[50_000];
        java.util.Arrays.setAll(objects, i -> new int[1]);
        int kept = 0;
        // Cuts within and beyond the objects that a scan finds, within a chunk and across chunks, and none at all.
        for (int count : new int[] {0, 10, 24, 25, 26, 4096, 4097, 50_000, 9000, 24, 0, 30}) {
            table.cutTo(Math.min(kept, count));
            for (int i = 0; i < objects.length; i++) {
                if (i == count) {
                    assertThat(table.count()).isEqualTo(count);
                    break;
                }
                assertNumber(i < Math.min(kept, count) ? i : -1, table.track(objects[i]));
            }
            kept = count;
        }
    }

    /** Objects move all the time, the young ones in each collection. */
    @ParameterizedTest
    @EnumSource
    void staysExactWhileObjectsMove(Keys keys) throws InterruptedException {
        Thread collecting = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                System.gc();
            }
        });
        collecting.start();
        try {
            long seed = 42;
            Random random = new Random(seed);
            IdentityTable table = keys.table();
            long end = System.nanoTime() + 1_000_000_000L;
            while (System.nanoTime() < end) {
                IdentityHashMap<Object, Integer> expected = new IdentityHashMap<>();
                List<Object> objects = new ArrayList<>();
                int count = random.nextInt(5000);
                for (int i = 0; i < count; i++) {
                    boolean known = !objects.isEmpty() && random.nextBoolean();
                    Object object = known ? objects.get(random.nextInt(objects.size())) : new int[random.nextInt(50)];
                    int number = table.track(object);
                    Integer before = expected.putIfAbsent(object, objects.size());
                    assertNumber(before == null ? -1 : before, number);
                    if (before == null) {
                        objects.add(object);
                    }
                }
                table.clear();
            }
        } finally {
            collecting.interrupt();
            collecting.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsNothingAliveAfterClear(Keys keys) throws InterruptedException {
        IdentityTable table = keys.table();
        List<java.lang.ref.WeakReference<Object>> references = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            Object object = new int[1];
            references.add(new java.lang.ref.WeakReference<>(object));
            table.track(object);
            table.track(object);
        }
        table.clear();
        for (int attempt = 0; attempt < 50 && references.stream().anyMatch(r -> r.get() != null); attempt++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(references.stream().filter(r -> r.get() != null)).isEmpty();
        assertThat(table.count()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void survivesCollections(Keys keys) {
        IdentityTable table = keys.table();
        Object[] objects = new Object[150_000];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new int[1];
            assertNumber(-1, table.track(objects[i]));
            if (i % 40_000 == 0) {
                System.gc();
            }
        }
        System.gc();
        for (int i = 0; i < objects.length; i++) {
            assertNumber(i, table.track(objects[i]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void findGivesNoNumber(Keys keys) {
        for (int size : new int[] {10, 1_000, 100_000}) {
            IdentityTable table = keys.table();
            for (int i = 0; i < size; i++) {
                assertNumber(-1, table.track(new int[1]));
            }
            Object late = new int[1];
            assertNumber(-1, table.find(late));
            assertNumber(-1, table.find(late));
            assertNumber(-1, table.track(late));
            assertNumber(size, table.find(late));
            assertThat(table.count()).isEqualTo(size + 1);
        }
    }

    @Test
    void refusesMoreObjectsThanItsTableCanTellApart() {
        assertThat(IdentityTable.moreEntries(1 << 28)).isEqualTo(1 << 30);
        assertThatThrownBy(() -> IdentityTable.moreEntries(1 << 30))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining(String.valueOf(1 << 29));
    }
}
