package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.ProxyClasses;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.testing.GeneratedClass;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.TestImages;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Classes that an image describes, and of which it has no object. */
@Tag("once")
public final class DescribedTypesTest {
    private static final int NULL = ImageFormat.TAG_NULL;
    private static final int FIRST = ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

    private static byte[] image(List<TypeDescription> types, long... body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        types.forEach(each -> bytes.writeBytes(each.encode()));
        return TestImages.image(bytes.toByteArray(), TestImages.numbers(body));
    }

    private static TypeDescription proxy(List<String> interfaces) {
        return new TypeDescription(Kind.PROXY, "a proxy", interfaces, List.of());
    }

    private static TypeDescription fields(String className) {
        return new TypeDescription(Kind.FIELDS, className, List.of(), List.of());
    }

    // ---------------------------------------------------------------- nothing is loaded

    private static final List<String> INTERFACES = List.of(
            "java.lang.Runnable",
            "java.lang.AutoCloseable",
            "java.lang.Cloneable",
            "java.lang.Readable",
            "java.io.Serializable",
            "java.io.Flushable",
            "java.io.ObjectInputValidation",
            "java.util.EventListener",
            "java.util.RandomAccess",
            "java.util.Observer",
            "java.util.concurrent.RejectedExecutionHandler",
            "java.util.concurrent.ThreadFactory",
            "java.util.function.BooleanSupplier",
            "java.util.function.DoubleSupplier",
            "java.util.function.IntSupplier",
            "java.util.function.LongSupplier");

    /** One of many orders of the interfaces. */
    private static List<String> interfaces(int number) {
        List<String> left = new ArrayList<>(INTERFACES);
        List<String> chosen = new ArrayList<>();
        for (int rest = number; chosen.size() < 8; rest /= left.size() + 1) {
            chosen.add(left.remove(rest % left.size()));
        }
        return chosen;
    }

    /** 800 proxies, none of which is there. */
    private static byte[] imageOfDescriptions(int number) {
        List<TypeDescription> types = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            types.add(proxy(interfaces(number * 800 + i)));
        }
        return image(types, NULL);
    }

    /** Main class of a JVM in which nothing else happens meanwhile. */
    public static final class DescriptionsAlone {
        private DescriptionsAlone() {}

        /** Decodes images whose roots are null, and prints how many classes the JVM has loaded for them. */
        public static void main(String[] arguments) {
            Heapspan heapspan = Heapspan.create();
            var classes = ManagementFactory.getClassLoadingMXBean();
            check(heapspan.decode(imageOfDescriptions(0), Object.class));
            long before = classes.getTotalLoadedClassCount();
            long bytes = 0;
            for (int i = 1; i <= 20; i++) {
                byte[] image = imageOfDescriptions(i);
                bytes += image.length;
                check(heapspan.decode(image, Object.class));
            }
            long loaded = classes.getTotalLoadedClassCount() - before;
            System.out.println("bytes=" + bytes / 20);
            System.out.println("loaded=" + loaded);
        }

        private static void check(Object root) {
            if (root != null) {
                throw new AssertionError("decoded " + root);
            }
        }
    }

    @Test
    void proxiesThatAreOnlyDescribedGetNoClass() throws Exception {
        JavaProcess.Result result = JavaProcess.run(DescriptionsAlone.class, List.of("-Xmx256m"));
        assertThat(Integer.parseInt(result.value("bytes"))).isBetween(150_000, 250_000);
        assertThat(result.value("loaded")).isEqualTo("0");
    }

    static final class NeverInitialized implements Serializable {
        static final int NUMBER = fail();

        private static int fail() {
            throw new IllegalStateException("initialized");
        }
    }

    enum NeverInitializedEnum {
        ONE;

        static final int NUMBER = NeverInitialized.fail();
    }

    @Test
    void classesThatAreOnlyDescribedAreNeitherLoadedNorInitialized() {
        GeneratedClass.Loader loader =
                new GeneratedClass.Loader(new GeneratedClass("generated.described.Unused", Map.of()));
        Heapspan heapspan = Heapspan.builder().classLoader(loader).build();
        List<TypeDescription> types = new ArrayList<>(List.of(
                fields("generated.described.Unused"),
                fields("generated.described.Missing"),
                fields(NeverInitialized.class.getName()),
                new TypeDescription(Kind.ENUM, NeverInitializedEnum.class.getName(), List.of("ONE"), List.of()),
                new TypeDescription(Kind.OBJECT_ARRAY, "[Lgenerated.described.Unused;", List.of(), List.of()),
                new TypeDescription(
                        Kind.HOOKS,
                        "generated.described.Hooks",
                        List.of(),
                        List.of(new Level("generated.described.Hooks", 0, List.of()))),
                new TypeDescription(Kind.EXTERNAL, "generated.described.External", List.of(), List.of()),
                proxy(List.of("generated.described.Interface"))));
        assertThat(heapspan.decode(image(types, NULL), Object.class)).isNull();
        assertThat(heapspan.decodeTrusted(image(types, NULL), Object.class)).isNull();
        assertThat(loader.asked()).isEmpty();

        // What is used is found all the same, whatever stands beside it.
        Object first = heapspan.decode(image(types, FIRST), Object.class);
        assertThat(first.getClass().getClassLoader()).isSameAs(loader);
        assertThat(loader.asked()).contains("generated.described.Unused").doesNotContain("generated.described.Missing");
    }

    static final class Item implements Serializable {
        int number;

        Item(int number) {
            this.number = number;
        }
    }

    /** The second frame brings types of its own, and refers to those of the first. */
    @Test
    void typesOfSeveralFramesAreFoundWhenTheyAreNeeded() {
        List<Object> graph = new ArrayList<>();
        graph.add(new Item(1));
        graph.add(new byte[3 << 20]);
        graph.add(Mode.CLONE);
        graph.add(new Item(2));
        graph.add(new byte[3 << 20]);
        graph.add(Category.LIMIT);
        graph.add(new Item(3));
        Heapspan heapspan = Heapspan.create();
        byte[] image = heapspan.encode(graph);
        for (int i = 0; i < 3; i++) {
            List<?> copy = heapspan.decode(image, List.class);
            assertThat(copy.get(2)).isSameAs(Mode.CLONE);
            assertThat(copy.get(5)).isSameAs(Category.LIMIT);
            assertThat(List.of(copy.get(0), copy.get(3), copy.get(6)))
                    .extracting("number")
                    .containsExactly(1, 2, 3);
        }
    }

    /** A class may come while the program runs. */
    @Test
    void aMissingClassIsLookedForAnew() {
        Class<?>[] found = {null};
        ClassLoader loader = new ClassLoader(DescribedTypesTest.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String className) throws ClassNotFoundException {
                if (found[0] == null) {
                    throw new ClassNotFoundException(className);
                }
                return found[0];
            }
        };
        Heapspan heapspan = Heapspan.builder().classLoader(loader).build();
        String name = "generated.described.Late";
        byte[] image = image(List.of(fields(name)), FIRST);
        assertThatThrownBy(() -> heapspan.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_NOT_FOUND));
        found[0] = loadedClass(name);
        assertThat(heapspan.decode(image, Object.class)).isInstanceOf(found[0]);
    }

    private static Class<?> loadedClass(String name) {
        try {
            return new GeneratedClass.Loader(new GeneratedClass(name, Map.of())).loadClass(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    // ---------------------------------------------------------------- how many proxies

    static final class Handler implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return null;
        }
    }

    private static byte[] imageOfProxy(List<String> interfaces) {
        return image(List.of(proxy(interfaces), fields(Handler.class.getName())), FIRST, FIRST + 1);
    }

    private static Class<?>[] classes(List<String> names) throws ClassNotFoundException {
        Class<?>[] classes = new Class<?>[names.size()];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = Class.forName(names.get(i));
        }
        return classes;
    }

    @Test
    void untrustedImagesMakeSoManyProxiesAndNoMore() throws Exception {
        ClassLoader loader = new ClassLoader(DescribedTypesTest.class.getClassLoader()) {};
        Heapspan heapspan = Heapspan.builder().classLoader(loader).build();
        Object known = heapspan.decode(imageOfProxy(interfaces(0)), Object.class);
        for (int i = 1; i < ProxyClasses.MOST_OF_LOADER; i++) {
            ProxyClasses.count(loader, classes(interfaces(i)));
        }
        // The same interfaces in the same order have one class, whoever names them.
        Heapspan other = Heapspan.builder().classLoader(loader).build();
        assertThat(other.decode(imageOfProxy(interfaces(0)), Object.class)).hasSameClassAs(known);

        byte[] another = imageOfProxy(interfaces(ProxyClasses.MOST_OF_LOADER));
        for (Heapspan each : Arrays.asList(heapspan, other)) {
            assertThatThrownBy(() -> each.decode(another, Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                    .hasMessageContaining("1000")
                    .hasMessageContaining("interfaces");
        }
        assertThat(Proxy.isProxyClass(
                        heapspan.decodeTrusted(another, Object.class).getClass()))
                .isTrue();
        Heapspan elsewhere = Heapspan.builder()
                .classLoader(new ClassLoader(DescribedTypesTest.class.getClassLoader()) {})
                .build();
        assertThat(Proxy.isProxyClass(elsewhere.decode(another, Object.class).getClass()))
                .isTrue();
    }
}
