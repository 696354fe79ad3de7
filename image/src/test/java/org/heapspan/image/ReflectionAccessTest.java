package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.serialization.FieldValues;
import org.heapspan.image.serialization.SerializedFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JVMs with nothing but reflection read and write the images of others. */
final class ReflectionAccessTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** From this release on the JDK gives out what sets the fields of its own classes. */
    private static final int FIRST_WITH_DEFAULT_METHODS = 24;

    private static final int FEATURE = Runtime.version().feature();

    record Named(String name, long number, List<Object> more) implements Serializable {}

    record Resolved(int value) implements Serializable {
        private Object readResolve() {
            return List.of("resolved", value);
        }
    }

    record Link(String name, List<Object> links) implements Serializable {}

    static final class Derived extends AtomicLong implements Serializable {
        final String own;

        Derived(String own, long value) {
            super(value);
            this.own = own;
        }
    }

    static final class Greeting implements InvocationHandler, Serializable {
        Object self = "";

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "hello";
        }
    }

    /** Asks whether more has come, as classes do that have written less before. */
    static final class Asking extends BitSet {
        private void writeObject(ObjectOutputStream output) throws IOException {
            output.defaultWriteObject();
            for (int each : stream().toArray()) {
                output.writeInt(each);
            }
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
            clear();
            while (input.available() > 0) {
                set(input.readInt());
            }
        }

        static Asking with(int... bits) {
            Asking made = new Asking();
            for (int each : bits) {
                made.set(each);
            }
            return made;
        }
    }

    /** The same below a class whose fields are out of reach, so that the JDK's own stream makes it. */
    static final class AskingList extends ArrayList<Object> {
        private void writeObject(ObjectOutputStream output) throws IOException {
            output.defaultWriteObject();
            for (Object each : this) {
                output.writeInt((Integer) each);
            }
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
            clear();
            while (input.available() > 0) {
                add(input.readInt());
            }
        }

        static AskingList with(Integer... elements) {
            AskingList made = new AskingList();
            made.addAll(List.of(elements));
            return made;
        }
    }

    interface Greeter {
        String greet();
    }

    @SuppressWarnings("JavaUtilDate")
    private static List<Object> samples() {
        List<Object> samples = new ArrayList<>();
        samples.add(new Named("n", 1L << 40, new ArrayList<>(List.of("a", 1L))));
        samples.add(List.of(new Resolved(4)));
        samples.add(Collections.unmodifiableList(new ArrayList<>(List.of(1, 2, 3))));
        samples.add(Collections.unmodifiableMap(new java.util.TreeMap<>(Map.of("k", "v"))));
        samples.add(Collections.synchronizedSet(new java.util.LinkedHashSet<>(List.of("x", "y"))));
        samples.add(Collections.singletonList("one"));
        samples.add(Collections.emptyMap());
        samples.add(Collections.nCopies(3, "three"));
        samples.add(Arrays.asList("a", null, "c"));
        samples.add(List.of("a", "b", "c", "d"));
        samples.add(Stream.of("a", null).toList());
        samples.add(Set.of(1, 2, 3));
        samples.add(Map.of("one", 1, "two", 2));
        samples.add(new EnumMap<>(Map.of(TimeUnit.DAYS, "d", TimeUnit.HOURS, "h")));
        samples.add(EnumSet.of(TimeUnit.DAYS, TimeUnit.SECONDS));
        samples.add(new ConcurrentHashMap<>(Map.of("c", 3)));
        samples.add(new CopyOnWriteArrayList<>(List.of("w", "o")));
        samples.add(BitSet.valueOf(new long[] {5, 7}));
        samples.add(Asking.with(5, 70));
        samples.add(AskingList.with(5, 70));
        samples.add(Locale.forLanguageTag("de-AT"));
        samples.add(java.time.ZonedDateTime.parse("2024-02-29T12:30:00+01:00[Europe/Vienna]"));
        samples.add(java.net.URI.create("https://example.org/a?b#c"));
        return samples;
    }

    /** The other side: decodes what is there and encodes its own. Arguments: the folder. */
    static final class OtherSide {
        private OtherSide() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            List<Object> samples = samples();
            List<String> faults = new ArrayList<>();
            for (int i = 0; i < samples.size(); i++) {
                Object expected = expected(samples.get(i));
                try {
                    Object received = HEAPSPAN.decode(Files.readAllBytes(folder.resolve("in" + i)), Object.class);
                    check(faults, i, expected, received);
                    Files.write(folder.resolve("out" + i), HEAPSPAN.encode(samples.get(i)));
                    check(faults, i, expected, HEAPSPAN.copy(samples.get(i)));
                } catch (HeapspanException e) {
                    faults.add(i + " " + e.category() + " " + expected.getClass() + " " + e.getMessage());
                }
            }
            special(faults);
            Files.write(folder.resolve("faults"), faults);
        }

        private static void check(List<String> faults, int i, Object expected, Object received) {
            boolean same = expected.getClass() == received.getClass() && expected.equals(received);
            if (!same) {
                faults.add(i + " WRONG " + expected.getClass() + " " + expected + " " + received);
            }
        }

        private static void special(List<String> faults) {
            try {
                Derived derived = HEAPSPAN.copy(new Derived("own", 42));
                if (derived.get() != 42 || !derived.own.equals("own")) {
                    faults.add("Derived WRONG " + derived);
                }
                PriorityQueue<String> queue = HEAPSPAN.copy(new PriorityQueue<>(List.of("b", "a")));
                if (!"a".equals(queue.poll()) || !"b".equals(queue.poll())) {
                    faults.add("PriorityQueue WRONG " + queue);
                }
                IllegalStateException exception = new IllegalStateException("m", new RuntimeException("cause"));
                IllegalStateException copied = HEAPSPAN.copy(exception);
                if (!"m".equals(copied.getMessage())
                        || !"cause".equals(copied.getCause().getMessage())
                        || copied.getStackTrace().length == 0) {
                    faults.add("Throwable WRONG " + copied);
                }
                cycles(faults);
            } catch (HeapspanException e) {
                faults.add("special " + e.category() + " " + e.getMessage());
            }
            Link link = new Link("l", new ArrayList<>());
            link.links().add(link);
            refused(faults, link, Link.class.getName());
            if (FEATURE < FIRST_WITH_DEFAULT_METHODS) {
                refused(faults, proxyKnownToItsHandler(), "part of a cycle");
            } else if (!isProxyKnownToItsHandler(HEAPSPAN.copy(proxyKnownToItsHandler()))) {
                faults.add("Proxy WRONG");
            }
        }

        private static void cycles(List<String> faults) {
            List<Object> inner = new ArrayList<>();
            Collection<Object> view = Collections.unmodifiableCollection(inner);
            inner.add(view);
            Collection<Object> copiedView = HEAPSPAN.copy(view);
            if (copiedView.iterator().next() != copiedView) {
                faults.add("unmodifiableCollection in itself WRONG");
            }
            Object[] array = new String[] {"a"};
            List<Object> backed = HEAPSPAN.copy(Arrays.asList(array));
            try {
                backed.set(0, 1);
                faults.add("Arrays.asList WRONG: its array is no String[] any more");
            } catch (ArrayStoreException expected) {
                // As the original does.
            }
            Throwable thrown = new IllegalStateException("outer");
            thrown.addSuppressed(new RuntimeException("inner", thrown));
            Throwable copied = HEAPSPAN.copy(thrown);
            if (copied.getSuppressed()[0].getCause() != copied) {
                faults.add("cycle through a Throwable WRONG");
            }
            Map<Object, Object> sorted = new java.util.TreeMap<>(Collections.reverseOrder());
            sorted.put("a", sorted);
            sorted.put("b", view);
            Map<Object, Object> copiedMap = HEAPSPAN.copy(sorted);
            if (copiedMap.get("a") != copiedMap
                    || !"b".equals(copiedMap.keySet().iterator().next())) {
                faults.add("cycle through a sorted map WRONG");
            }
        }

        private static void refused(List<String> faults, Object graph, String mention) {
            try {
                HEAPSPAN.copy(graph);
                faults.add(graph.getClass() + " WRONG: its cycle needs raw memory");
            } catch (HeapspanException e) {
                if (e.category() != Category.ACCESS
                        || !String.valueOf(e.getMessage()).contains(mention)) {
                    faults.add(graph.getClass() + " " + e.category() + " " + e.getMessage());
                }
            }
        }
    }

    private static Object proxyKnownToItsHandler() {
        Greeting handler = new Greeting();
        Object proxy = Proxy.newProxyInstance(Greeter.class.getClassLoader(), new Class<?>[] {Greeter.class}, handler);
        handler.self = proxy;
        return proxy;
    }

    private static boolean isProxyKnownToItsHandler(Object proxy) {
        return ((Greeting) Proxy.getInvocationHandler(proxy)).self == proxy
                && "hello".equals(((Greeter) proxy).greet());
    }

    private static Object expected(Object sample) {
        return sample.equals(List.of(new Resolved(4))) ? List.of(List.of("resolved", 4)) : sample;
    }

    @Test
    void sharesImagesWithJvmsThatHaveRawMemory(@TempDir Path folder) throws Exception {
        List<Object> samples = samples();
        for (int i = 0; i < samples.size(); i++) {
            Files.write(folder.resolve("in" + i), HEAPSPAN.encode(samples.get(i)));
        }
        JavaProcess.run(OtherSide.class, List.of("-Dheapspan.access=reflection"), folder.toString());
        List<String> faults = Files.readAllLines(folder.resolve("faults"));
        assertThat(faults).isEmpty();
        for (int i = 0; i < samples.size(); i++) {
            Object received = HEAPSPAN.decode(Files.readAllBytes(folder.resolve("out" + i)), Object.class);
            OtherSide.check(faults, i, expected(samples.get(i)), received);
        }
        assertThat(faults).isEmpty();
    }

    static class Numbers implements Serializable {
        final boolean flag = Boolean.parseBoolean("true");
        final byte b;
        final char c;
        final short s;
        final int i;
        final long j;
        final float f;
        final double d;
        final String text;
        transient int skipped = 9;

        Numbers(int seed) {
            b = (byte) (seed - 100);
            c = (char) (seed + 0xFF00);
            s = (short) -seed;
            i = seed * 1000003;
            j = -seed * 1000000007L;
            f = seed / 3f;
            d = -seed / 7.0;
            text = "t" + seed;
        }
    }

    @Test
    void movesAllKindsOfFieldsThroughSerializationMethods() {
        Assumptions.assumeTrue(FEATURE >= FIRST_WITH_DEFAULT_METHODS, "does not apply: the JDK gives them since 24");
        List<String> names = List.of("flag", "b", "c", "s", "i", "j", "f", "d", "text");
        Map<String, Integer> slots = new java.util.HashMap<>();
        names.forEach(name -> slots.put(name, slots.size()));
        SerializedFields fields = SerializedFields.of(Numbers.class, slots);
        assertThat(fields).isNotNull();
        FieldValues values = new FieldValues(names.size());
        Numbers from = new Numbers(17);
        fields.get(from, values);
        Numbers to = new Numbers(3);
        fields.set(to, values);
        assertThat(to).usingRecursiveComparison().isEqualTo(from);
    }

    @Test
    void leavesFieldsWithoutSlotsAtTheirDefaults() {
        Assumptions.assumeTrue(FEATURE >= FIRST_WITH_DEFAULT_METHODS, "does not apply: the JDK gives them since 24");
        SerializedFields fields = SerializedFields.of(Numbers.class, Map.of("i", 0));
        assertThat(fields).isNotNull();
        FieldValues values = new FieldValues(1);
        fields.get(new Numbers(2), values);
        assertThat(values.bits(0)).isEqualTo(2000006);
        Numbers to = new Numbers(5);
        fields.set(to, values);
        assertThat(to.i).isEqualTo(2000006);
        assertThat(to.text).isNull();
        assertThat(to.skipped).isEqualTo(9);
    }

    @Test
    void refusesValuesOfAnotherType() throws Exception {
        FieldAccess access = new FieldAccess(Numbers.class.getDeclaredField("text"));
        assertThatThrownBy(() -> access.checkType(1))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("Numbers.text");
    }

    @Test
    void hasNoMethodsForClassesThatAreNotSerializable() {
        assertThat(SerializedFields.of(File.class.getSuperclass(), Map.of())).isNull();
        assertThat(SerializedFields.of(Thread.class, Map.of())).isNull();
    }
}
