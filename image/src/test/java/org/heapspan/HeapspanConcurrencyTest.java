package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class HeapspanConcurrencyTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Account implements Serializable {
        int id;
        String owner;
        Account[] related;
        Map<String, Integer> limits = new HashMap<>();

        Account(int id) {
            this.id = id;
            owner = "owner " + id;
            related = new Account[] {this, null};
            limits.put("daily", id);
        }
    }

    private static void useOnce(int id) {
        Account copy = id % 2 == 0
                ? HEAPSPAN.copy(new Account(id))
                : HEAPSPAN.decode(HEAPSPAN.encode(new Account(id)), Account.class);
        assertThat(copy.id).isEqualTo(id);
        assertThat(copy.owner).isEqualTo("owner " + id);
        assertThat(copy.related[0]).isSameAs(copy);
        assertThat(copy.limits.get("daily")).isEqualTo(id);
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.write(copy);
        writer.write(id);
        GroupReader reader = HEAPSPAN.groupReader(writer.finish());
        assertThat(((Account) reader.next()).id).isEqualTo(id);
        assertThat(reader.next()).isEqualTo(id);
    }

    private static void useFrom(ExecutorService threads, int count, int rounds) throws Exception {
        List<CompletableFuture<Void>> work = new ArrayList<>();
        for (int thread = 0; thread < count; thread++) {
            int first = thread * rounds;
            work.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < rounds; i++) {
                            useOnce(first + i);
                        }
                    },
                    threads));
        }
        for (CompletableFuture<Void> one : work) {
            one.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }

    @Test
    void isSharedByPlatformThreads() throws Exception {
        useFrom(Executors.newFixedThreadPool(32), 32, 300);
    }

    @Test
    void isSharedByVirtualThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "does not apply: virtual threads are of Java 21");
        useFrom(
                (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null),
                1000,
                10);
    }

    // ---------------------------------------------------------------- graphs that change

    static final class Changing implements Serializable {
        int number;
        String text = "text";
        Object any = "any";
        Changing next;
        Object[] elements = new Object[40];
        Changing[] typed = new Changing[40];
        String[] texts = new String[40];
        List<Object> list = new ArrayList<>();
        Map<Object, Object> map = new HashMap<>();

        Changing(int number) {
            this.number = number;
            Arrays.fill(texts, "t");
        }
    }

    private static final int FACTOR = 7;

    /** One of those that a copy may have, so that another is noticed. */
    private static int number(Random random) {
        return FACTOR * random.nextInt(Integer.MIN_VALUE / FACTOR, Integer.MAX_VALUE / FACTOR);
    }

    private static Object anything(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> null;
            case 1 -> number(random);
            case 2 -> new String("text");
            case 3 -> new Changing(random.nextInt());
            case 4 -> new int[random.nextInt(5)];
            case 5 -> new ArrayList<>(List.of(1, "two"));
            case 6 -> 2.5;
            default -> TimeUnit.values()[random.nextInt(7)];
        };
    }

    /** What other threads do to a graph. */
    enum Change {
        FIELDS {
            @Override
            void apply(Changing graph, Random random) {
                graph.number = random.nextInt();
                graph.text = random.nextBoolean() ? null : "text " + random.nextInt();
                graph.any = anything(random);
                graph.next = random.nextBoolean() ? null : new Changing(1);
                if (graph.next != null && random.nextBoolean()) {
                    graph.next.next = graph;
                }
            }
        },
        ARRAY_ELEMENTS {
            @Override
            void apply(Changing graph, Random random) {
                graph.elements[random.nextInt(graph.elements.length)] = anything(random);
                graph.typed[random.nextInt(graph.typed.length)] = random.nextBoolean() ? null : new Changing(2);
                graph.texts[random.nextInt(graph.texts.length)] = random.nextInt(9) == 0 ? null : new String("x");
            }
        },
        ARRAYS_OF_ONE_KIND {
            @Override
            void apply(Changing graph, Random random) {
                // All of one class, until in between they are not.
                Object kind = anything(random);
                Arrays.fill(graph.elements, kind);
                graph.elements[random.nextInt(graph.elements.length)] = anything(random);
                graph.elements = random.nextBoolean() ? graph.elements : new Object[random.nextInt(60)];
                graph.elements = graph.elements.length == 0 ? new Object[1] : graph.elements;
            }
        },
        VALUES_THEN_OBJECTS {
            @Override
            void apply(Changing graph, Random random) {
                // Values without identity, then objects that have it: the two travel in different forms.
                Arrays.fill(graph.elements, random.nextBoolean() ? (Object) 2.5 : new Changing(3));
            }
        },
        ARRAY_LIST {
            @Override
            void apply(Changing graph, Random random) {
                changeCollection(graph.list, random, 200);
            }
        },
        HASH_MAP {
            @Override
            void apply(Changing graph, Random random) {
                Object key = random.nextBoolean() ? random.nextInt(300) : "key " + random.nextInt(300);
                if (random.nextInt(5) < 3) {
                    graph.map.put(key, anything(random));
                } else if (random.nextInt(200) == 0) {
                    graph.map.clear();
                } else {
                    graph.map.remove(key);
                }
            }
        };

        abstract void apply(Changing graph, Random random);
    }

    private static void changeCollection(Collection<Object> collection, Random random, int most) {
        if (collection.size() > most) {
            collection.clear();
        } else if (random.nextInt(3) > 0) {
            Object element = anything(random);
            collection.add(element == null ? "element" : element);
        } else if (!collection.isEmpty()) {
            var iterator = collection.iterator();
            if (iterator.hasNext()) {
                iterator.next();
                iterator.remove();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodesGraphsThatOthersChange(Change change) throws Exception {
        Changing graph = new Changing(0);
        encodeWhile(change.name(), graph, random -> change.apply(graph, random), 1);
    }

    @Test
    void encodesGraphsThatSeveralThreadsChangeInEveryWay() throws Exception {
        Changing graph = new Changing(0);
        encodeWhile(
                "all",
                graph,
                random -> {
                    try {
                        Change.values()[random.nextInt(Change.values().length)].apply(graph, random);
                    } catch (RuntimeException brokenByTheOthers) {
                        // A map or list that two threads changed at once.
                        graph.map = new HashMap<>();
                        graph.list = new ArrayList<>();
                    }
                },
                3);
    }

    /** Collections that the writer goes through with their iterators or hooks. */
    @Test
    @SuppressWarnings("JdkObsolete") // Users have them.
    void encodesOtherCollectionsThatOthersChange() throws Exception {
        List<Collection<Object>> collections =
                List.of(new ArrayDeque<>(), new LinkedList<>(), new LinkedHashSet<>(), new HashSet<>(), new Vector<>());
        for (Collection<Object> collection : collections) {
            encodeWhile(
                    collection.getClass().getSimpleName(),
                    collection,
                    random -> changeCollection(collection, random, 60),
                    1);
        }
        // Its elements must have an order.
        PriorityQueue<Integer> queue = new PriorityQueue<>();
        encodeWhile(
                "PriorityQueue",
                queue,
                random -> {
                    queue.add(number(random));
                    if (queue.size() > 60) {
                        queue.poll();
                    }
                },
                1);
        List<Map<Object, Object>> maps =
                List.of(new LinkedHashMap<>(), new TreeMap<>(), new ConcurrentHashMap<>(), new java.util.Hashtable<>());
        for (Map<Object, Object> map : maps) {
            encodeWhile(
                    map.getClass().getSimpleName(),
                    map,
                    random -> {
                        Object value = anything(random);
                        map.put("key " + random.nextInt(100), value == null ? "value" : value);
                        map.remove("key " + random.nextInt(100));
                    },
                    1);
        }
    }

    /** Each value of a copy is one that some thread has put there, though not all of them at the same time. */
    private static void assertPossible(Object copy) {
        if (copy instanceof Changing graph) {
            assertThat(graph.text)
                    .satisfiesAnyOf(
                            text -> assertThat(text).isNull(),
                            text -> assertThat(text).matches("text( -?[0-9]+)?"));
            assertThat(graph.elements).allSatisfy(HeapspanConcurrencyTest::assertAnything);
            assertThat(graph.any).satisfiesAnyOf(any -> assertThat(any).isEqualTo("any"), any -> assertAnything(any));
            assertThat(graph.next == null || graph.next.next == null || graph.next.next == graph)
                    .as("the way back is the graph itself")
                    .isTrue();
            assertThat(graph.typed).hasSize(40).allMatch(each -> each == null || each.number == 2 || each.number == 0);
            assertThat(graph.texts).hasSize(40).allMatch(each -> each == null || each.equals("t") || each.equals("x"));
            assertThat(graph.list).allSatisfy(HeapspanConcurrencyTest::assertAnything);
            assertEntriesPossible(graph.map);
        } else if (copy instanceof Map<?, ?> map) {
            assertEntriesPossible(map);
        } else {
            assertThat((Collection<?>) copy).allSatisfy(HeapspanConcurrencyTest::assertAnything);
        }
    }

    private static void assertEntriesPossible(Map<?, ?> map) {
        map.forEach((key, value) -> {
            if (key instanceof Integer number) {
                assertThat(number).isBetween(0, 299);
            } else {
                assertThat((String) key).matches("key [0-9]{1,3}");
            }
            // Found by its key, so that it lies where its hash code says.
            assertThat(map.get(key) == value).as("value of %s", key).isTrue();
            assertAnything(value);
        });
    }

    /**
     * What {@link #anything} makes, or what stands for its null where none may be. Objects are handed over by a data race: their fields and elements may
     * still have their defaults.
     */
    private static void assertAnything(Object value) {
        if (value instanceof String text) {
            assertThat(text).isIn("text", "element", "value");
        } else if (value instanceof Changing changing) {
            assertThat(changing.texts)
                    .satisfiesAnyOf(
                            texts -> assertThat(texts).isNull(),
                            texts -> assertThat(texts).isSubsetOf("t", null));
        } else if (value instanceof int[] numbers) {
            assertThat(numbers).hasSizeLessThan(5).containsOnly(new int[numbers.length]);
        } else if (value instanceof List<?> list) {
            assertThat(list).allMatch(each -> each == null || each.equals(1) || each.equals("two"));
        } else if (value instanceof Double number) {
            assertThat(number).isEqualTo(2.5);
        } else if (value instanceof Integer number) {
            assertThat(number % FACTOR).as("rest of %d", number).isZero();
        } else if (value != null) {
            assertThat(value).isInstanceOf(TimeUnit.class);
        }
    }

    private static Object decode(String name, Encoding encoding, byte[] image) throws IOException {
        try {
            return encoding == Encoding.RAW
                    ? HEAPSPAN.decodeTrusted(image, Object.class)
                    : HEAPSPAN.decode(image, Object.class);
        } catch (HeapspanException e) {
            // No seed repeats a race: without the image nobody could tell whether the writer or the reader was wrong.
            Path kept = Files.createTempFile(Path.of("target"), "changed-while-written-", ".image");
            Files.write(kept, image);
            throw new AssertionError(name + ": a " + encoding + " image that cannot be decoded is in " + kept, e);
        }
    }

    private static void encodeWhile(String name, Object graph, Consumer<Random> change, int changers) throws Exception {
        long seed = 20_261_121;
        System.out.println("HeapspanConcurrencyTest " + name + ": seed " + seed);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(400);
        ExecutorService threads = Executors.newFixedThreadPool(changers);
        List<CompletableFuture<Void>> changing = new ArrayList<>();
        for (int i = 0; i < changers; i++) {
            Random random = new Random(seed + i);
            changing.add(CompletableFuture.runAsync(
                    () -> {
                        while (System.nanoTime() < end) {
                            change.accept(random);
                        }
                    },
                    threads));
        }
        int[] decoded = new int[Encoding.values().length];
        int refused = 0;
        for (int round = 0; round < 100 || System.nanoTime() < end; round++) {
            Encoding encoding = Encoding.values()[round % decoded.length];
            byte[] image;
            try {
                image = HEAPSPAN.encode(graph, encoding);
            } catch (HeapspanException typed) {
                assertThat(typed.category()).isIn(HeapspanException.Category.USAGE, HeapspanException.Category.HOOK);
                refused++;
                continue;
            }
            Object copy = decode(name, encoding, image);
            assertThat(copy).isExactlyInstanceOf(graph.getClass());
            assertPossible(copy);
            // Whatever is in it can be gone through and written again.
            assertThat(HEAPSPAN.encode(copy)).isNotEmpty();
            decoded[round % decoded.length]++;
        }
        for (CompletableFuture<Void> one : changing) {
            one.get();
        }
        threads.shutdown();
        for (Encoding encoding : Encoding.values()) {
            assertThat(decoded[List.of(Encoding.values()).indexOf(encoding)])
                    .as("%s, %s: images decoded, %d encodings refused", name, encoding, refused)
                    .isPositive();
        }
    }
}
