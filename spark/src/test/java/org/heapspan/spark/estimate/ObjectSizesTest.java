package org.heapspan.spark.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.heapspan.SizeEstimatorClass;
import org.apache.spark.heapspan.SparkCopy;
import org.apache.spark.util.KnownSizeEstimation;
import org.apache.spark.util.SizeEstimator;
import org.apache.spark.util.collection.CompactBuffer;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Answers are those of Spark's own search, of which each test has an untouched copy: not nearly, but the same numbers. */
final class ObjectSizesTest {
    private final SparkCopy original = SparkCopy.beside();
    private SizeEstimatorClass estimator;
    private ObjectSizes sizes;

    @BeforeEach
    void ask() throws ReflectiveOperationException {
        assertThat(ObjectWalk.isPossible()).isTrue();
        estimator = SizeEstimatorClass.open();
        sizes = new ObjectSizes(estimator);
        estimator.ask(sizes);
    }

    @AfterEach
    void askNoMore() throws ReflectiveOperationException {
        estimator.ask(null);
    }

    private void isAsInSpark(Object object) throws ReflectiveOperationException {
        long expected = original.estimate(object);
        assertThat(sizes.applyAsLong(object)).isEqualTo(expected);
        assertThat(SizeEstimator.estimate(object)).isEqualTo(expected);
    }

    record Point(int x, double y, String name) {}

    enum Colour {
        RED,
        GREEN
    }

    static class Node {
        Node next;
        Object value;
        byte small;

        Node(Node next, Object value) {
            this.next = next;
            this.value = value;
        }
    }

    /** Its objects are in more lines of the heap than the largest table that is kept has. */
    @Test
    void afterAnEstimateOfManyObjectsTheThreadKeepsNoLargeTable() {
        Node last = null;
        for (int i = 0; i < 500_000; i++) {
            last = new Node(last, null);
        }
        assertThat(sizes.applyAsLong(last)).isGreaterThan(500_000L * 16);
        assertThat(ObjectSizes.tables().visited.tableLength()).isLessThanOrEqualTo(2 << 13);
    }

    /** The layout rules of Spark for fields of several sizes in several classes. */
    static class Base {
        byte a;
        long b;
        Object c = "c";
    }

    static class Derived extends Base {
        short d;
        char e;
        boolean f;
        Object g = new int[5];
        double h;
    }

    static final class Told implements KnownSizeEstimation {
        private final Callable<Long> bytes;
        final Object ignored = new byte[1 << 20];
        int asked;

        Told(Callable<Long> bytes) {
            this.bytes = bytes;
        }

        @Override
        public long estimatedSize() {
            asked++;
            try {
                return bytes.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @TestFactory
    List<DynamicTest> sizesAreThoseOfSpark() {
        Map<String, Object> corpus = new LinkedHashMap<>();
        corpus.put("object", new Object());
        corpus.put("box", 17_000);
        corpus.put("string", "text");
        corpus.put("derived class", new Derived());
        corpus.put("record", new Point(1, 2, "p"));
        corpus.put("enum", Colour.GREEN);
        corpus.put("date", LocalDate.of(2013, 5, 19));
        corpus.put("numbers", new long[100_000]);
        corpus.put("no numbers", new byte[0]);
        corpus.put("no objects", new Object[0]);
        corpus.put("nulls", new Object[7]);
        corpus.put("many nulls", new Object[7_000]);
        corpus.put("class", new Object[] {String.class, int[].class, getClass().getClassLoader()});
        corpus.put(
                "scala.reflect",
                new Object[] {scala.reflect.ClassTag$.MODULE$, scala.reflect.ClassTag$.MODULE$.apply(int.class)});
        corpus.put("function", function("captured"));
        corpus.put("told", new Object[] {new Told(() -> 4711L), new Point(1, 1, "other")});
        corpus.put("told alone", new Told(() -> 4711L));
        corpus.put("matrix", new double[500][20]);
        corpus.put(
                "matrix of objects",
                IntStream.range(0, 500).mapToObj(i -> boxes(i % 450)).toArray());
        for (int count : new int[] {1, 10, 399, 400, 401, 1_000, 30_000}) {
            corpus.put(count + " boxes", boxes(count));
            corpus.put(count + " records", points(count).toArray());
            corpus.put("ArrayList of " + count, points(count));
            corpus.put("LinkedHashSet of " + count, new LinkedHashSet<>(points(count)));
            corpus.put("HashMap of " + count, map(new HashMap<>(), count));
            corpus.put("TreeMap of " + count, map(new TreeMap<>(), count));
            corpus.put(
                    "Scala List of " + count,
                    CollectionConverters.asScala(points(count)).toList());
            corpus.put(
                    "Scala Vector of " + count,
                    CollectionConverters.asScala(points(count)).toVector());
            corpus.put("Scala Map of " + count, immutable(count));
            corpus.put("pairs of " + count, pairs(count));
            corpus.put("CompactBuffer of " + count, buffer(count));
            corpus.put("shared, " + count, shared(count));
        }
        corpus.put("deep list", deep(300_000));
        Node ring = new Node(null, "ring");
        ring.next = new Node(new Node(ring, ring), ring);
        corpus.put("ring", ring);
        Object[] itself = new Object[500];
        Arrays.fill(itself, itself);
        corpus.put("array of itself", itself);
        for (int seed = 0; seed < 200; seed++) {
            corpus.put("random graph, seed " + seed, randomGraph(new Random(seed)));
        }
        List<DynamicTest> tests = new ArrayList<>();
        corpus.forEach((name, object) -> tests.add(DynamicTest.dynamicTest(name, () -> isAsInSpark(object))));
        return tests;
    }

    private static Runnable function(Object captured) {
        return captured::notifyAll;
    }

    private static Object[] boxes(int count) {
        return IntStream.range(0, count).mapToObj(i -> 1000 + i).toArray();
    }

    private static List<Point> points(int count) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            points.add(new Point(i, i, "x".repeat(i % 50)));
        }
        return points;
    }

    private static Map<Integer, Object> map(Map<Integer, Object> map, int count) {
        for (int i = 0; i < count; i++) {
            map.put(i * 7919, i % 3 == 0 ? "value " + i : List.of(i));
        }
        return map;
    }

    private static Object immutable(int count) {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < count; i++) {
            map.put(i, "value " + i);
        }
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
    }

    private static Object[] pairs(int count) {
        return points(count).stream()
                .map(point -> new Tuple2<>(point.x(), buffer(point.x() % 30)))
                .toArray();
    }

    private static CompactBuffer<Object> buffer(int count) {
        CompactBuffer<Object> buffer = new CompactBuffer<>(scala.reflect.ClassTag$.MODULE$.apply(Object.class));
        for (int i = 0; i < count; i++) {
            buffer.$plus$eq(new Point(i, i, "p" + i));
        }
        return buffer;
    }

    private static Object shared(int count) {
        List<Point> few = points(7);
        Object[] many = new Object[count];
        Arrays.setAll(many, i -> new Node(null, few.get(i % few.size())));
        return many;
    }

    private static Node deep(int length) {
        Node last = null;
        for (int i = 0; i < length; i++) {
            last = new Node(last, i);
        }
        return last;
    }

    private static Object randomGraph(Random random) {
        List<Object> objects = new ArrayList<>(List.of("first"));
        List<Node> nodes = new ArrayList<>();
        List<Object[]> arrays = new ArrayList<>();
        int count = 1 + random.nextInt(3_000);
        for (int i = 0; i < count; i++) {
            Object any = objects.get(random.nextInt(objects.size()));
            Object next = switch (random.nextInt(8)) {
                case 0 -> new int[random.nextInt(20)];
                case 1 -> new Object[random.nextInt(random.nextInt(40) == 0 ? 2_000 : 10)];
                case 2 -> new Point(i, i, "p" + i);
                case 3 -> new ArrayList<>(Arrays.asList(any, null, i));
                case 4 -> random.nextDouble();
                default -> new Node(null, any);
            };
            objects.add(next);
            if (next instanceof Node node) {
                nodes.add(node);
            } else if (next instanceof Object[] array) {
                arrays.add(array);
            }
        }
        for (Node node : nodes) {
            node.next = nodes.get(random.nextInt(nodes.size()));
        }
        for (Object[] array : arrays) {
            for (int i = 0; i < array.length; i++) {
                array[i] = random.nextInt(4) == 0 ? null : objects.get(random.nextInt(objects.size()));
            }
        }
        return objects.subList(0, objects.size()).toArray();
    }

    @Test
    void nothingHasNoSize() {
        assertThat(sizes.applyAsLong(null)).isZero();
    }

    @Test
    void aWalkBeginsAgainAfterAPause() throws Exception {
        Object[] object = {points(300).toArray(), null, new Node(null, "n")};
        Told told = new Told(() -> 1L);
        object[1] = told;
        long expected = original.estimate(object);
        boolean[] isFirst = {true};
        Told pausing = new Told(() -> {
            if (isFirst[0]) {
                isFirst[0] = false;
                System.gc();
            }
            return 1L;
        });
        object[1] = pausing;
        assertThat(sizes.applyAsLong(object)).isEqualTo(expected);
        assertThat(pausing.asked).isEqualTo(2);
    }

    @Test
    void aWalkGivesUpAfterManyPausesAndSparkSearches() {
        Told pausing = new Told(() -> {
            System.gc();
            return 100L;
        });
        Object[] object = {pausing};
        assertThat(sizes.applyAsLong(object)).isEqualTo(ObjectWalk.GAVE_UP);
        assertThat(pausing.asked).isEqualTo(3);
        assertThat(SizeEstimator.estimate(object)).isEqualTo(SizeEstimator.estimate(new Object[1]) + 100);
    }

    @Test
    void whatAnObjectThrowsIsThrown() {
        Object[] object = {
            new Told(() -> {
                throw new IllegalArgumentException("not known");
            })
        };
        assertThatThrownBy(() -> SizeEstimator.estimate(object)).hasRootCauseMessage("not known");
        assertThat(SizeEstimator.estimate(new Object[] {"after"})).isPositive();
    }

    @Test
    void anObjectMayAskForAnEstimateMeanwhile() throws Exception {
        Object inner = points(500).toArray();
        Object[] object = {
            "before", new Told(() -> SizeEstimator.estimate(inner)), points(350).toArray()
        };
        isAsInSpark(object);
    }

    @Test
    void holdsNoObject() {
        WeakReference<Object> reference = new WeakReference<>(deep(5_000));
        assertThat(SizeEstimator.estimate(new Object[] {reference.get(), "x"})).isPositive();
        for (int i = 0; i < 50 && reference.get() != null; i++) {
            System.gc();
        }
        assertThat(reference.get()).isNull();
    }

    /** While others make garbage, so that objects move in the midst of walks. */
    @Test
    void answersTheSameOnManyThreads() throws Exception {
        Object[] objects = {points(380).toArray(), map(new TreeMap<>(), 5_000), deep(20_000), pairs(2_000)};
        long[] expected = new long[objects.length];
        for (int i = 0; i < objects.length; i++) {
            expected[i] = original.estimate(objects[i]);
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int first = t;
                results.add(threads.submit(() -> {
                    List<Object> kept = new ArrayList<>();
                    for (int i = 0; i < 300; i++) {
                        int which = (first + i) % objects.length;
                        assertThat(SizeEstimator.estimate(objects[which])).isEqualTo(expected[which]);
                        kept.add(points(200));
                        if (kept.size() > 50) {
                            kept.clear();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get(Eventually.TEST_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
