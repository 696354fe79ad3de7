package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.apache.spark.util.SizeEstimator;
import org.apache.spark.util.collection.CompactBuffer;
import org.heapspan.spark.aggregate.MeasuredCombiners;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Function2;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/** Compares measurements with the size of a map that is computed by a visit of all its objects. */
@ExtendWith(EstimatorFirst.class)
@SuppressWarnings({"rawtypes", "unchecked"})
final class CombinerSizesTest {
    /** What is measured is no less and no more of the truth. */
    private static final double LEAST = 0.95;

    private static final double MOST = 1.05;

    private static final int ENTRIES_AT_ONCE = 150;

    private final Random random = new Random(7);

    @SuppressWarnings("unused") // Keeps arrays from being optimized away.
    private byte[] garbage = {};

    private final SizedAppendOnlyMap.CombinedValue latest = new SizedAppendOnlyMap.CombinedValue();
    private long roomBytes = Long.MAX_VALUE / 4;
    private final SizedAppendOnlyMap map = new SizedAppendOnlyMap(new MeasuredCombiners(), 0, latest, () -> roomBytes);

    record Edge(long from, long to, String name) {}

    private interface Merge {
        Object apply(boolean has, @Nullable Object combiner, Object value);
    }

    private void combine(@Nullable Object key, Object value, Merge merge) {
        map.estimateSize();
        Function2 update = new AbstractFunction2<Object, Object, Object>() {
            @Override
            public Object apply(Object has, Object combiner) {
                latest.value = value;
                return merge.apply((Boolean) has, combiner, value);
            }
        };
        map.changeValue(key, update);
    }

    private static Object group(boolean has, @Nullable Object combiner, Object value) {
        CompactBuffer group = has ? (CompactBuffer) combiner : new CompactBuffer<>(ClassTag$.MODULE$.Object());
        return group.$plus$eq(value);
    }

    private static Object set(boolean has, @Nullable Object combiner, Object value) {
        Set set = has ? (Set) combiner : new HashSet<>();
        set.add(value);
        return set;
    }

    private Edge edge() {
        return new Edge(random.nextLong(), random.nextLong(), "edge " + random.nextInt());
    }

    /** A merge with spilled entries is by hash codes, and that of null is 0. */
    @Test
    void theKeyNullIsSortedByItsHashCode() {
        for (int number = -300; number < 300; number += 7) {
            combine(number, "any", CombinerSizesTest::group);
        }
        combine(null, "any", CombinerSizesTest::group);
        List<Integer> hashCodes = new ArrayList<>();
        Iterator<Tuple2> sorted = map.destructiveSortedIterator(Comparator.comparing(Objects::hashCode));
        while (sorted.hasNext()) {
            Tuple2 entry = sorted.next();
            hashCodes.add(Objects.hashCode(entry._1()));
            assertThat(((CompactBuffer) entry._2()).size()).isEqualTo(1);
        }
        assertThat(hashCodes).hasSize(87).isSorted().containsOnlyOnce(0);
    }

    /** The size that a task would be told if it asked now. */
    private long measured() {
        roomBytes = 0;
        for (int i = 0; i < 64; i++) {
            map.estimateSize();
            map.changeValue(null, new AbstractFunction2<Object, Object, Object>() {
                @Override
                public Object apply(Object has, Object combiner) {
                    return "";
                }
            });
        }
        return map.estimateSize();
    }

    /** Of all objects. In arrays of this length Spark visits each element. */
    private long walked() {
        long bytes = 2L * 4 * Math.max(64, Integer.highestOneBit((int) (map.size() / 0.7)) * 2);
        List<Object[]> parts = new ArrayList<>();
        List<Object> entries = new ArrayList<>();
        Iterator<Tuple2> all = map.iterator();
        while (all.hasNext()) {
            Tuple2 entry = all.next();
            entries.add(entry._1());
            entries.add(entry._2());
            if (entries.size() == 2 * ENTRIES_AT_ONCE || !all.hasNext()) {
                parts.add(entries.toArray());
                bytes -= SizeEstimator.estimate(new Object[entries.size()]);
                entries.clear();
            }
        }
        return bytes + SizeEstimator.estimate(parts.toArray()) - SizeEstimator.estimate(new Object[parts.size()]);
    }

    private void check(String what) {
        check(what, LEAST, MOST);
    }

    private void check(String what, double least, double most) {
        long measuredBytes = measured();
        long walkedBytes = walked();
        assertThat((double) measuredBytes / walkedBytes)
                .as("%s: measured %d, walked %d bytes", what, measuredBytes, walkedBytes)
                .isBetween(least, most);
    }

    @Test
    void groupsOfObjects() {
        for (int i = 0; i < 30_000; i++) {
            combine((long) random.nextInt(4000), edge(), CombinerSizesTest::group);
        }
        check("groups");
    }

    @Test
    void groupsOfWhichOneHasNineTenthsOfTheValues() {
        for (int i = 0; i < 30_000; i++) {
            combine(random.nextInt(10) == 0 ? i : -1L, edge(), CombinerSizesTest::group);
        }
        check("skewed groups");
    }

    @Test
    void groupsOfNumbers() {
        for (int i = 0; i < 30_000; i++) {
            combine(
                    random.nextInt(10) == 0 ? i : -random.nextInt(50),
                    (Object) random.nextLong(),
                    CombinerSizesTest::group);
        }
        check("groups of numbers");
    }

    @Test
    void groupsOfFewLargeValues() {
        for (int i = 0; i < 40; i++) {
            combine(i % 3, new byte[4 << 20], CombinerSizesTest::group);
        }
        check("large values");
    }

    @Test
    void groupsOfSmallValuesAndFewLargeOnes() {
        for (int i = 0; i < 20_000; i++) {
            combine(i % 3000, i % 2000 == 999 ? new byte[8 << 20] : edge(), CombinerSizesTest::group);
        }
        check("small and large values");
    }

    /** So rare that a small sample has none of them, and not so large that what is allocated for them stands out. */
    @Test
    void groupsOfSmallValuesAndRareLargerOnes() {
        for (int i = 0; i < 300_000; i++) {
            combine(i % 3000, random.nextInt(500) == 0 ? new byte[100_000] : edge(), CombinerSizesTest::group);
        }
        check("small and larger values", 0.5, 1.5);
    }

    @Test
    void rareLargerCombiners() {
        for (int i = 0; i < 200_000; i++) {
            combine(i, random.nextInt(500) == 0 ? new byte[100_000] : edge(), (has, combiner, value) -> value);
        }
        check("small and larger combiners", 0.5, 1.5);
    }

    @Test
    void setsThatGrowAThousandfold() {
        for (int i = 0; i < 30_000; i++) {
            combine(random.nextInt(30), (Object) random.nextLong(), CombinerSizesTest::set);
        }
        check("sets");
    }

    @Test
    void setsOfWhichOneHasNineTenthsOfTheValues() {
        for (int i = 0; i < 30_000; i++) {
            combine(random.nextInt(10) == 0 ? i : -1, (Object) random.nextLong(), CombinerSizesTest::set);
        }
        check("skewed sets");
    }

    /** Neither few keys with most of the values, nor all with as many. */
    @Test
    void setsAsLargeAsWordsAreFrequent() {
        for (int i = 0; i < 60_000; i++) {
            combine(
                    (int) Math.exp(random.nextDouble() * Math.log(20_000)),
                    (Object) random.nextLong(),
                    CombinerSizesTest::set);
        }
        check("sets by Zipf's law", 0.7, 1.6);
    }

    @Test
    void combinersThatShareAnObject() {
        byte[] shared = new byte[16 << 20];
        for (int i = 0; i < 20_000; i++) {
            combine(i % 5000, edge(), (has, combiner, value) -> new Object[] {shared, value});
        }
        check("combiners with a shared object");
    }

    /** So much is allocated that each combiner looks like a large one. */
    @Test
    void combinersThatShareAnObjectWhileMuchIsAllocated() {
        byte[] shared = new byte[1 << 20];
        for (int i = 0; i < 20_000; i++) {
            garbage = new byte[100_000];
            combine(i % 5000, edge(), (has, combiner, value) -> new Object[] {shared, value});
        }
        check("combiners with a shared object, and garbage");
    }

    @Test
    void entriesThatWereHandedOutAreDropped() {
        for (int i = 0; i < 1000; i++) {
            combine(i % 10 == 0 ? null : i % 100, new byte[100_000], CombinerSizesTest::group);
        }
        Set<Object> keys = new HashSet<>();
        List<WeakReference<Object>> handedOut = new ArrayList<>();
        Iterator<Tuple2> entries =
                map.destructiveSortedIterator(Comparator.comparing(key -> key == null ? -1 : (Integer) key));
        while (entries.hasNext()) {
            Tuple2 entry = entries.next();
            assertThat(((CompactBuffer) entry._2()).length()).isEqualTo(entry._1() == null ? 100 : 10);
            assertThat(keys.add(entry._1())).isTrue();
            if (entry._1() != null) {
                handedOut.add(new WeakReference<>(entry._2()));
            }
        }
        assertThat(keys).hasSize(91);
        handedOut.remove(handedOut.size() - 1);
        for (int i = 0; i < 20 && handedOut.stream().anyMatch(each -> each.get() != null); i++) {
            System.gc();
        }
        assertThat(handedOut).allSatisfy(each -> assertThat(each.get()).isNull());
        assertThat(entries.hasNext()).as("the map is still there").isFalse();
    }

    @Test
    void nullsAndConstants() {
        for (int i = 0; i < 5000; i++) {
            combine(i % 7 == 0 ? null : i % 1000, "constant", (has, combiner, value) -> i(value));
        }
        check("constants");
    }

    private static Object i(Object value) {
        return value;
    }
}
