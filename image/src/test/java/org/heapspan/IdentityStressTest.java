package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared objects stay shared and distinct ones distinct, whatever the collector does meanwhile. */
public final class IdentityStressTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** A node of a random graph. */
    static final class Vertex implements Serializable {
        final int number;
        String label;
        Vertex first;
        Object second;
        Object[] array;
        List<Object> list;

        Vertex(int number) {
            this.number = number;
        }
    }

    /** A graph with heavy sharing, of vertices, equal but distinct strings, arrays and lists. */
    private static Vertex randomGraph(Random random, int count) {
        Vertex[] vertices = new Vertex[count];
        String[] labels = new String[Math.max(1, count / 3)];
        for (int i = 0; i < labels.length; i++) {
            // Few different contents in many strings.
            labels[i] = new StringBuilder("label ").append(i % 5).toString();
        }
        for (int i = 0; i < count; i++) {
            vertices[i] = new Vertex(i);
        }
        for (int i = 0; i < count; i++) {
            Vertex vertex = vertices[i];
            vertex.label = labels[random.nextInt(labels.length)];
            vertex.first = i + 1 < count ? vertices[i + 1] : vertices[0];
            vertex.second =
                    random.nextInt(4) == 0 ? labels[random.nextInt(labels.length)] : vertices[random.nextInt(count)];
            if (random.nextInt(4) == 0) {
                vertex.array = new Object[] {vertices[random.nextInt(count)], vertex.label, new int[2], vertex};
            } else if (random.nextBoolean()) {
                vertex.array = vertices[random.nextInt(i + 1)].array;
            }
            if (random.nextInt(4) == 0) {
                vertex.list = new ArrayList<>(List.of(vertex, vertices[random.nextInt(count)], vertex.label));
            }
        }
        return vertices[0];
    }

    /** Whether there is a one-to-one relation between the objects of two graphs that keeps all contents and references. */
    private static void assertIsomorphic(Object left, Object right, String about) {
        IdentityHashMap<Object, Object> partners = new IdentityHashMap<>();
        IdentityHashMap<Object, Object> backwards = new IdentityHashMap<>();
        ArrayDeque<Object[]> open = new ArrayDeque<>();
        open.add(new Object[] {left, right});
        while (!open.isEmpty()) {
            Object[] pair = open.remove();
            Object a = pair[0];
            Object b = pair[1];
            if (a == null || b == null) {
                check(a == b, about);
                continue;
            }
            Object known = partners.put(a, b);
            Object knownBack = backwards.put(b, a);
            if (known != null || knownBack != null) {
                check(known == b && knownBack == a, about + ": sharing differs at " + a.getClass());
                continue;
            }
            // What cannot change may be in the original and in the copy.
            check(a.getClass() == b.getClass() && (a != b || a instanceof String), about);
            if (a instanceof Vertex v) {
                Vertex w = (Vertex) b;
                check(v.number == w.number, about);
                open.add(new Object[] {v.label, w.label});
                open.add(new Object[] {v.first, w.first});
                open.add(new Object[] {v.second, w.second});
                open.add(new Object[] {v.array, w.array});
                open.add(new Object[] {v.list, w.list});
            } else if (a instanceof Object[] elements) {
                pairUp(List.of(elements), List.of((Object[]) b), open, about);
            } else if (a instanceof List<?> elements) {
                pairUp(elements, (List<?>) b, open, about);
            } else if (a instanceof String) {
                check(a.equals(b), about);
            }
        }
    }

    private static void pairUp(List<?> left, List<?> right, ArrayDeque<Object[]> open, String about) {
        check(left.size() == right.size(), about);
        for (int i = 0; i < left.size(); i++) {
            open.add(new Object[] {left.get(i), right.get(i)});
        }
    }

    private static void check(boolean condition, String about) {
        if (!condition) {
            throw new AssertionError(about);
        }
    }

    @Tag("once")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 24, 25, 500, 1024, 20_000, 65_537, 200_000})
    void keepsIdentityInGraphsOfAnySize(int count) {
        Random random = new Random(count);
        for (int round = 0; round < (count < 1000 ? 50 : 1); round++) {
            Vertex graph = randomGraph(random, count);
            assertIsomorphic(graph, HEAPSPAN.decode(HEAPSPAN.encode(graph), Vertex.class), count + " vertices");
            assertIsomorphic(graph, HEAPSPAN.copy(graph), count + " vertices");
        }
    }

    @Tag("once")
    @ParameterizedTest
    @ValueSource(ints = {10, 700, 1024, 20_000, 200_000, 700_000})
    void findsTheOneSharedObjectAmongMany(int count) {
        Heapspan heapspan = Heapspan.create();
        Object[] few = {new int[1], new int[1]};
        Object[] tree = new Object[count];
        Arrays.setAll(tree, i -> new int[] {i});
        Object[] shared = tree.clone();
        shared[count - 1] = shared[0];
        // What tables were left by one graph must not matter to the next.
        for (int round = 0; round < 3; round++) {
            for (Object[] graph : new Object[][] {few, tree, shared, few, shared, tree}) {
                Object[] copy = heapspan.decode(heapspan.encode(graph), Object[].class);
                assertThat(copy).hasSameSizeAs(graph);
                for (int i = 1; i < graph.length; i++) {
                    boolean same = graph[i] == graph[0];
                    if ((copy[i] == copy[0]) != same || ((int[]) copy[i])[0] != ((int[]) graph[i])[0]) {
                        throw new AssertionError("element " + i + " of " + count);
                    }
                }
            }
        }
    }

    @Test
    void keepsEqualStringsDistinctAndSharedOnesShared() {
        String one = new StringBuilder("text").toString();
        String two = new StringBuilder("text").toString();
        for (Object graph : new Object[] {
            new Object[] {one, two, one}, new String[] {one, two, one}, new ArrayList<>(List.of(one, two, one))
        }) {
            Object copy = HEAPSPAN.copy(graph);
            Object[] elements = copy instanceof List<?> list ? list.toArray() : (Object[]) copy;
            assertThat(elements[0])
                    .isEqualTo(elements[1])
                    .isNotSameAs(elements[1])
                    .isSameAs(elements[2]);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:+UseG1GC",
                "-XX:+UseParallelGC",
                "-XX:+UseSerialGC",
                "-XX:+UseZGC",
                "-XX:+UseG1GC -XX:-UseCompressedOops",
                "-XX:+UseParallelGC -Dheapspan.access=unsafe"
            })
    void keepsIdentityWhileTheCollectorMovesObjects(String options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options.split(" ", -1)));
        all.addAll(List.of("-Xmx384m", JavaProcess.BOTH_COMPILERS));
        JavaProcess.Result result = JavaProcess.run(Storm.class, all, "1000", "1");
        assertThat(Long.parseLong(result.value("graphs"))).isGreaterThanOrEqualTo(8);
    }

    /** Main class of a child JVM: eight threads encode while another collects. */
    public static final class Storm {
        private Storm() {}

        /** Runs for some milliseconds from a seed; a failure ends in an exception. */
        public static void main(String[] arguments) throws Exception {
            long millis = Long.parseLong(arguments[0]);
            long seed = Long.parseLong(arguments[1]);
            System.out.println("seed=" + seed);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            Thread collecting = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    System.gc();
                    // Pause after pause, but some work between them.
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                }
            });
            collecting.setDaemon(true);
            collecting.start();
            AtomicLong graphs = new AtomicLong();
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<CompletableFuture<Void>> work = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Random random = new Random(seed + thread);
                work.add(CompletableFuture.runAsync(
                        () -> {
                            GroupWriter group = HEAPSPAN.groupWriter();
                            do {
                                String about = "seed " + seed + ", graph " + graphs.incrementAndGet();
                                Vertex graph = randomGraph(random, 1 + random.nextInt(1 << random.nextInt(11)));
                                assertIsomorphic(graph, HEAPSPAN.decode(HEAPSPAN.encode(graph), Vertex.class), about);
                                group.write(graph);
                                group.write(graph);
                                GroupReader reader = HEAPSPAN.groupReader(group.finish());
                                assertIsomorphic(graph, reader.next(), about + " in a group");
                                assertIsomorphic(graph, reader.next(), about + " in a group");
                            } while (System.nanoTime() < end);
                        },
                        threads));
            }
            for (CompletableFuture<Void> one : work) {
                one.get();
            }
            threads.shutdown();
            collecting.interrupt();
            System.out.println("graphs=" + graphs);
        }
    }
}
