package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

/** A copy within one JVM is of the classes of the original, whatever else bears their names. */
final class CopyTest {
    private static final GeneratedClass NODE =
            new GeneratedClass("generated.copy.Node", Map.of("value", "I", "next", "Ljava/lang/Object;"));

    private static final Heapspan HEAPSPAN = Heapspan.create();

    private static Object node(GeneratedClass.Loader loader, int value, Object next)
            throws ReflectiveOperationException {
        Object node = loader.newInstance(NODE.name());
        GeneratedClass.set(node, "value", value);
        GeneratedClass.set(node, "next", next);
        return node;
    }

    @Test
    void copiesWhatTheContextLoaderDoesNotSee() throws Exception {
        Object original = node(new GeneratedClass.Loader(NODE), 7, null);
        GeneratedClass.set(original, "next", original);
        for (int i = 0; i < 3; i++) {
            Object copy = HEAPSPAN.copy(original);
            assertThat(copy).isNotSameAs(original);
            assertThat(copy.getClass()).isSameAs(original.getClass());
            assertThat(GeneratedClass.get(copy, "value")).isEqualTo(7);
            assertThat(GeneratedClass.get(copy, "next")).isSameAs(copy);
        }
    }

    @Test
    void asksNoLoaderForAnything() throws Exception {
        GeneratedClass.Loader context = new GeneratedClass.Loader(NODE);
        GeneratedClass.Loader option = new GeneratedClass.Loader(NODE);
        Object original = node(new GeneratedClass.Loader(NODE), 1, new ArrayList<>(List.of("x")));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(context);
        try {
            Heapspan withLoader = Heapspan.builder().classLoader(option).build();
            assertThat(withLoader.copy(original).getClass()).isSameAs(original.getClass());
            assertThat(HEAPSPAN.copy(original).getClass()).isSameAs(original.getClass());
        } finally {
            thread.setContextClassLoader(before);
        }
        assertThat(context.asked()).doesNotContain(NODE.name());
        assertThat(option.asked()).doesNotContain(NODE.name());
    }

    @Test
    void keepsNamesakesApart() throws Exception {
        GeneratedClass.Loader red = new GeneratedClass.Loader(NODE);
        GeneratedClass.Loader blue = new GeneratedClass.Loader(NODE);
        Class<?> redClass = red.loadClass(NODE.name());
        Class<?> blueClass = blue.loadClass(NODE.name());
        // Deep enough for bodies to be deferred.
        Object chain = null;
        for (int i = 0; i < 300; i++) {
            chain = node(i % 2 == 0 ? red : blue, i, chain);
        }
        Object array = Array.newInstance(blueClass, 1);
        Array.set(array, 0, node(blue, -1, null));
        Object[] original = {
            chain,
            redClass,
            blueClass,
            array,
            new HashMap<>(Map.of(redClass, node(red, -2, null), blueClass, node(blue, -3, null))),
            Array.newInstance(redClass, 0).getClass(),
            int.class,
            Optional.of(node(red, -4, null))
        };
        for (Heapspan heapspan : List.of(
                HEAPSPAN,
                Heapspan.builder().mode(Mode.CLONE).build(),
                Heapspan.builder().typeRegistry(TypeRegistry.local()).build())) {
            Object[] copy = heapspan.copy(original);
            Object node = copy[0];
            for (int i = 299; i >= 0; i--) {
                assertThat(node.getClass()).isSameAs(i % 2 == 0 ? redClass : blueClass);
                assertThat(GeneratedClass.get(node, "value")).isEqualTo(i);
                node = GeneratedClass.get(node, "next");
            }
            assertThat(copy[1]).isSameAs(redClass);
            assertThat(copy[2]).isSameAs(blueClass);
            assertThat(copy[3].getClass().getComponentType()).isSameAs(blueClass);
            assertThat(Array.get(copy[3], 0).getClass()).isSameAs(blueClass);
            Map<?, ?> map = (Map<?, ?>) copy[4];
            assertThat(map.get(redClass).getClass()).isSameAs(redClass);
            assertThat(map.get(blueClass).getClass()).isSameAs(blueClass);
            assertThat(copy[5]).isSameAs(original[5]);
            assertThat(copy[6]).isSameAs(int.class);
            assertThat(((Optional<?>) copy[7]).orElseThrow().getClass()).isSameAs(redClass);
        }
    }

    @Test
    void keepsIdentityBelowTheRoot() throws Exception {
        GeneratedClass.Loader loader = new GeneratedClass.Loader(NODE);
        Object ring = node(loader, 1, null);
        GeneratedClass.set(ring, "next", node(loader, 2, ring));
        List<Object> copy = HEAPSPAN.copy(new ArrayList<>(List.of(ring, ring)));
        assertThat(copy.get(0)).isNotSameAs(ring).isSameAs(copy.get(1));
        Object second = GeneratedClass.get(copy.get(0), "next");
        assertThat(GeneratedClass.get(second, "value")).isEqualTo(2);
        assertThat(GeneratedClass.get(second, "next")).isSameAs(copy.get(0));

        Object leaf = node(loader, 3, null);
        List<Object> leaves = HEAPSPAN.copy(new ArrayList<>(List.of(leaf, leaf)));
        assertThat(leaves.get(0)).isNotSameAs(leaf).isSameAs(leaves.get(1));
    }

    /** Of a small graph as of any other. */
    @Test
    void sharesNothingThatCanChange() {
        for (Object each :
                List.of(new AtomicLong(3), new BitSet(), new StringBuilder("text"), new ArrayList<>(List.of(1)))) {
            Object copy = HEAPSPAN.copy(new ArrayList<>(List.of(each))).get(0);
            assertThat(copy).isNotSameAs(each).hasSameClassAs(each).hasToString(each.toString());
        }
        int[] numbers = {1};
        assertThat(HEAPSPAN.copy(new ArrayList<>(List.of(numbers))).get(0))
                .isNotSameAs(numbers)
                .isEqualTo(new int[] {1});
    }

    interface Greeting {
        String greet(String name);
    }

    record Politeness(String word) implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return word + " " + arguments[0];
        }
    }

    enum Level {
        LOW,
        HIGH {
            @Override
            int height() {
                return 2;
            }
        };

        int height() {
            return 1;
        }
    }

    interface SerializableSupplier extends Supplier<String>, Serializable {}

    /** Everything that a description names by other means than a class of fields. */
    @Test
    void copiesEveryKindOfType() {
        String word = "captured";
        SerializableSupplier lambda = () -> word + "!";
        Object proxy = Proxy.newProxyInstance(
                CopyTest.class.getClassLoader(), new Class<?>[] {Greeting.class}, new Politeness("Good day,"));
        TreeMap<String, Object> sorted = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        sorted.put("b", 1);
        Object[] original = {
            Level.HIGH,
            Level.LOW,
            new EnumMap<>(Map.of(Level.HIGH, "h")),
            EnumSet.noneOf(Level.class),
            lambda,
            proxy,
            new Politeness("a record"),
            new IllegalStateException("an exception"),
            new ConcurrentHashMap<>(Map.of("k", Level.HIGH)),
            sorted,
            new Level[][] {{Level.LOW}}
        };
        Object[] copy = HEAPSPAN.copy(original);
        assertThat(copy[0]).isSameAs(Level.HIGH);
        assertThat(copy[1]).isSameAs(Level.LOW);
        assertThat(copy[2]).isEqualTo(original[2]);
        assertThat(copy[3]).isEqualTo(original[3]);
        assertThat(((SerializableSupplier) copy[4]).get()).isEqualTo("captured!");
        assertThat(((Greeting) copy[5]).greet("Ada")).isEqualTo("Good day, Ada");
        assertThat(copy[5].getClass()).isSameAs(proxy.getClass());
        assertThat(copy[6]).isEqualTo(original[6]);
        assertThat((Throwable) copy[7]).hasMessage("an exception");
        assertThat(((Throwable) copy[7]).getStackTrace()).isEqualTo(((Throwable) original[7]).getStackTrace());
        assertThat(copy[8]).isEqualTo(original[8]);
        assertThat(((Map<?, ?>) copy[9]).get("B")).isEqualTo(1);
        assertThat((Level[][]) copy[10]).isDeepEqualTo(new Level[][] {{Level.LOW}});
    }

    /** Replaced by an object of its own class, which is written by a form that stands apart from the class's first codec. */
    static final class Shortened implements Serializable {
        final String text;

        Shortened(String text) {
            this.text = text;
        }

        private Object writeReplace() {
            return text.length() > 2 ? new Shortened(text.substring(0, 2)) : this;
        }
    }

    @Test
    void copiesWhatIsReplacedByItsOwnClass() {
        Object[] copy = HEAPSPAN.copy(new Object[] {new Shortened("abc"), new Shortened("x")});
        assertThat(((Shortened) copy[0]).text).isEqualTo("ab");
        assertThat(((Shortened) copy[1]).text).isEqualTo("x");
    }

    static final class Flat {
        final long number;
        final char letter = 'c';
        final float ratio = 0.5f;
        final boolean set = true;
        final byte small = -7;
        final short medium = 300;
        final String text;
        final Level level = Level.HIGH;
        Object any;
        transient int cached = 5;

        Flat(long number, Object any) {
            this.number = number;
            text = "text " + number;
            this.any = any;
        }
    }

    /** A copy refers to the same strings, numbers and dates, and to its own copy of everything else. */
    @Test
    void copiesOfFlatObjectsShareWhatCannotChange() {
        List<Object> values = new ArrayList<>(List.of(
                "string",
                1L << 40,
                LocalDate.of(2026, 11, 26),
                new BigDecimal("1.5"),
                'x',
                Level.LOW,
                UUID.randomUUID()));
        values.add(null);
        for (Object shared : values) {
            Flat original = new Flat(3, shared);
            Flat copy = HEAPSPAN.copy(original);
            assertThat(copy).isNotSameAs(original);
            assertThat(copy.number).isEqualTo(3);
            assertThat(copy.letter).isEqualTo('c');
            assertThat(copy.ratio).isEqualTo(0.5f);
            assertThat(copy.set).isTrue();
            assertThat(copy.small).isEqualTo((byte) -7);
            assertThat(copy.medium).isEqualTo((short) 300);
            assertThat(copy.text).isSameAs(original.text);
            assertThat(copy.level).isSameAs(Level.HIGH);
            assertThat(copy.any).isSameAs(shared);
            assertThat(copy.cached).isZero();
            assertThat(Heapspan.builder().mode(Mode.CLONE).build().copy(original).cached)
                    .isEqualTo(5);
        }
        for (Object own : List.of(new ArrayList<>(List.of(1)), new int[] {1}, new Flat(4, null), new Object())) {
            Flat original = new Flat(5, own);
            Flat copy = HEAPSPAN.copy(original);
            assertThat(copy.any).isNotSameAs(own).hasSameClassAs(own);
            assertThat(copy.text).isEqualTo(original.text);
        }
        Flat cycle = new Flat(6, null);
        cycle.any = cycle;
        Flat copy = HEAPSPAN.copy(cycle);
        assertThat(copy.any).isSameAs(copy);
    }

    /** Its own class may change, though the class of the JDK above it cannot. */
    static final class ChangingNumber extends BigInteger {
        int count;

        ChangingNumber() {
            super("7");
        }
    }

    static final class Link {
        final long number;
        final Object any;

        Link(long number, Object any) {
            this.number = number;
            this.any = any;
        }
    }

    /** Such graphs are copied in one step up to a number of objects, and through an image beyond it. */
    @Test
    void graphsOfAnySizeKeepTheirShape() {
        for (int size : new int[] {1, 2, 5, 31, 32, 33, 34, 35, 200}) {
            List<Object> list = new ArrayList<>();
            Link root = new Link(size, list);
            for (int i = 0; i < size; i++) {
                list.add(i % 3 == 0 ? root : i % 3 == 1 ? new Link(i, list) : "text " + i);
            }
            list.add(list.get(0));
            list.add(list);
            list.add(null);
            list.add(list.get(size / 2));
            Link copy = HEAPSPAN.copy(root);
            assertThat(copy).isNotSameAs(root);
            List<?> copied = (List<?>) copy.any;
            assertThat(copied).isInstanceOf(ArrayList.class).isNotSameAs(list).hasSize(size + 4);
            for (int i = 0; i < size; i++) {
                if (i % 3 == 0) {
                    assertThat(copied.get(i)).isSameAs(copy);
                } else if (i % 3 == 1) {
                    assertThat(((Link) copied.get(i)).number).isEqualTo(i);
                    assertThat(((Link) copied.get(i)).any).isSameAs(copied);
                    assertThat(copied.get(i)).isNotSameAs(list.get(i));
                } else {
                    assertThat(copied.get(i)).isEqualTo("text " + i);
                }
            }
            assertThat(copied.get(size + 1)).isSameAs(copied);
            assertThat(copied.get(size + 2)).isNull();
            assertThat(copied.get(size + 3)).isSameAs(copied.get(size / 2));
        }
    }

    /** Within a graph that would be copied in one step. */
    @Test
    void classesWithMethodsOfTheirOwnAreCopiedByThem() {
        for (int round = 0; round < 100; round++) {
            Link copy = HEAPSPAN.copy(new Link(1, new ArrayList<>(List.of(new Link(2, new Shortened("abc"))))));
            Link inner = (Link) ((List<?>) copy.any).get(0);
            assertThat(((Shortened) inner.any).text).isEqualTo("ab");
        }
        assertThatThrownBy(() -> HEAPSPAN.copy(new Link(3, new Link(4, Thread.currentThread()))))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("any");
        assertThat(HEAPSPAN.copy(new Link(5, "still copied")).any).isEqualTo("still copied");
    }

    @Test
    void subclassesOfWhatCannotChangeAreCopied() {
        ChangingNumber number = new ChangingNumber();
        Link copy = HEAPSPAN.copy(new Link(7, number));
        assertThat(copy.any).isEqualTo(number).isNotSameAs(number);
    }

    /** The writer of the next image describes its types again. */
    @Test
    void leavesNoTraceInImagesThatAreEncodedNext() {
        Object[] graph = {new Politeness("x"), Level.HIGH, Level.class};
        byte[] image = Heapspan.create().encode(graph);
        for (int i = 0; i < 4; i++) {
            assertThat(HEAPSPAN.copy(graph)).isEqualTo(graph);
            assertThat(HEAPSPAN.encode(graph)).isEqualTo(image);
            assertThat(HEAPSPAN.decode(image, Object[].class)).isEqualTo(graph);
        }
    }

    @Test
    void copiesTwiceAtOnceWhereAMethodCopies() {
        Nested nested = new Nested();
        nested.depth = 3;
        assertThat(HEAPSPAN.copy(nested).depth).isEqualTo(103);
    }

    static final class Nested implements Serializable {
        int depth;

        private void readObject(java.io.ObjectInputStream stream) throws java.io.IOException, ClassNotFoundException {
            stream.defaultReadObject();
            if (depth > 0 && depth < 100) {
                Nested inner = new Nested();
                inner.depth = depth - 1;
                assertThat(HEAPSPAN.copy(new Object[] {inner, Level.class})[1]).isSameAs(Level.class);
                depth += 100;
            }
        }
    }
}
