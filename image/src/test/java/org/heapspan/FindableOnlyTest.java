package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.function.Supplier;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.heapspan.testing.RedefiningLoader;
import org.heapspan.testing.Shade;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What could not be decoded, because its class is not found by its name, is not encoded where that is asked for. */
@Tag("once")
@SuppressWarnings({"serial", "JdkObsolete", "JavaUtilDate"}) // Users have Vector and Timestamp.
final class FindableOnlyTest {
    private static final GeneratedClass NODE =
            new GeneratedClass("generated.findable.Node", Map.of("content", "Ljava/lang/Object;"));
    private static final GeneratedClass UNKNOWN =
            new GeneratedClass("generated.findable.Unknown", Map.of("content", "Ljava/lang/Object;"));

    private static final List<Encoding> ENCODINGS =
            VirtualMachine.current().memory() == null ? List.of(Encoding.COMPACT) : List.of(Encoding.values());

    /** Where {@link #HEAPSPAN} finds classes: {@link #NODE} in a version of its own, and no {@link #UNKNOWN}. */
    private static final GeneratedClass.Loader LOADER = new GeneratedClass.Loader(NODE);

    /** Has another {@link #NODE}, and {@link #UNKNOWN}. */
    private static final GeneratedClass.Loader ELSEWHERE = new GeneratedClass.Loader(NODE, UNKNOWN);

    private static final Heapspan HEAPSPAN =
            Heapspan.builder().classLoader(LOADER).findableOnly(true).build();

    static final class Pair implements Serializable {
        final Object key;
        final Object value;

        Pair(Object key, Object value) {
            this.key = key;
            this.value = value;
        }
    }

    /** Nothing can refer to its parts, so that many of them are written in a row. */
    static final class Paint implements Serializable {
        final int number;
        final Shade shade;

        Paint(int number, Shade shade) {
            this.number = number;
            this.shade = shade;
        }
    }

    interface Named {
        String name();
    }

    static final class Handler implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "handled";
        }
    }

    private static Object decoded(Heapspan heapspan, byte[] image) {
        return heapspan.decodeTrusted(image, Object.class);
    }

    private static void isRefused(Object root, String path, String className) {
        isRefused(HEAPSPAN, root, path, className);
    }

    private static void isRefused(Heapspan heapspan, Object root, String path, String className) {
        for (Encoding encoding : ENCODINGS) {
            HeapspanException refusal =
                    catchThrowableOfType(HeapspanException.class, () -> heapspan.encode(root, encoding));
            isRefusal(refusal, path, className);
        }
    }

    private static void isRefusal(HeapspanException refusal, String path, String className) {
        assertThat(refusal).isNotNull();
        assertThat(refusal.category()).isEqualTo(Category.CLASS_REFUSED);
        assertThat(refusal)
                .hasMessageStartingWith(path + ": " + className + " ")
                .hasMessageContaining("by the name " + className);
    }

    @Test
    void objectsOfClassesThatAreFoundTravel() throws Exception {
        Object node = LOADER.newInstance(NODE.name());
        GeneratedClass.set(node, "content", new Timestamp(7));
        Object array = Array.newInstance(node.getClass(), 2);
        Array.set(array, 1, node);
        for (Encoding encoding : ENCODINGS) {
            Object[] all = {new Pair(node, Shade.DARK), array, node.getClass(), int.class, EnumSet.of(Shade.LIGHT)};
            Object[] copies = (Object[]) decoded(HEAPSPAN, HEAPSPAN.encode(all, encoding));
            Pair pair = (Pair) copies[0];
            assertThat(pair.key).isInstanceOf(node.getClass());
            assertThat(GeneratedClass.get(pair.key, "content")).isEqualTo(new Timestamp(7));
            assertThat(pair.value).isSameAs(Shade.DARK);
            assertThat(Array.get(copies[1], 1)).isSameAs(pair.key);
            assertThat(copies[2]).isSameAs(node.getClass());
            assertThat(copies[3]).isSameAs(int.class);
            assertThat(copies[4]).isEqualTo(EnumSet.of(Shade.LIGHT));
        }
    }

    @Test
    void refusesAnObjectOfAClassThatIsNotFound() throws Exception {
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        isRefused(unknown, "root", UNKNOWN.name());
        isRefused(new Pair("key", unknown), "root.value", UNKNOWN.name());
        isRefused(new Pair("key", List.of(1, new ArrayList<>(List.of(unknown)))), "root.value[1][0]", UNKNOWN.name());
    }

    @Test
    void refusesAnObjectWhereAnotherClassOfTheNameIsFound() throws Exception {
        Object other = ELSEWHERE.newInstance(NODE.name());
        Object known = LOADER.newInstance(NODE.name());
        GeneratedClass.set(known, "content", other);
        isRefused(other, "root", NODE.name());
        isRefused(new Pair("key", other), "root.value", NODE.name());
        isRefused(known, "root.content", NODE.name());
    }

    @Test
    void refusesArraysOfSuchClasses() throws Exception {
        for (String name : List.of(NODE.name(), UNKNOWN.name())) {
            Class<?> element = ELSEWHERE.loadClass(name);
            Object array = Array.newInstance(element, 0);
            Object deep = Array.newInstance(element, 3, 3);
            isRefused(new Pair("key", array), "root.value", "[L" + name + ";");
            isRefused(new Pair("key", deep), "root.value", "[[L" + name + ";");
        }
    }

    @Test
    void refusesSuchClassesAsValues() throws Exception {
        isRefused(new Pair("key", ELSEWHERE.loadClass(UNKNOWN.name())), "root.value", UNKNOWN.name());
        isRefused(new Pair("key", ELSEWHERE.loadClass(NODE.name())), "root.value", NODE.name());
        Runnable hidden = () -> {};
        isRefused(
                new Pair("key", hidden.getClass()),
                "root.value",
                hidden.getClass().getName());
    }

    @Test
    void refusesConstantsOfSuchEnums() throws Exception {
        Class<?> other = new RedefiningLoader(Shade.class, ((Object) Shade.DARK).getClass()).own(Shade.class);
        for (Object constant : other.getEnumConstants()) {
            for (Encoding encoding : ENCODINGS) {
                assertThatThrownBy(() -> HEAPSPAN.encode(new Pair("key", constant), encoding))
                        .isInstanceOf(HeapspanException.class)
                        .hasMessageStartingWith("root.value: ")
                        .hasMessageContaining("by the name " + Shade.class.getName());
            }
        }
    }

    @Test
    void refusesWhatAnObjectWithMethodsOfItsOwnRefersTo() throws Exception {
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        Vector<Object> vector = new Vector<>(List.of("first", unknown));
        isRefused(new Pair("key", vector), "root.value[1]", UNKNOWN.name());
    }

    @Test
    void proxiesNeedNothingButTheirInterfaces() throws Exception {
        Supplier<?> proxy =
                (Supplier<?>) Proxy.newProxyInstance(ELSEWHERE, new Class<?>[] {Supplier.class}, new Handler());
        for (Encoding encoding : ENCODINGS) {
            Pair copy = (Pair) decoded(HEAPSPAN, HEAPSPAN.encode(new Pair("key", proxy), encoding));
            assertThat(((Supplier<?>) copy.value).get()).isEqualTo("handled");
        }

        RedefiningLoader redefining = new RedefiningLoader(Named.class);
        Object other = Proxy.newProxyInstance(redefining, new Class<?>[] {redefining.own(Named.class)}, new Handler());
        for (Encoding encoding : ENCODINGS) {
            assertThatThrownBy(() -> HEAPSPAN.encode(new Pair("key", other), encoding))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageStartingWith("root.value: " + other.getClass().getName())
                    .hasMessageContaining("finds another class by the name " + Named.class.getName());
        }
    }

    private static List<GroupWriter> groupWriters() {
        List<GroupWriter> writers = new ArrayList<>();
        for (Encoding encoding : ENCODINGS) {
            writers.add(HEAPSPAN.groupWriter(encoding));
        }
        writers.add(HEAPSPAN.groupWriter(IdentityScope.GROUP));
        return writers;
    }

    @Test
    void aGroupGoesOnWithoutTheRefusedRecord() throws Exception {
        Object[] refused = {
            ELSEWHERE.newInstance(UNKNOWN.name()),
            ELSEWHERE.newInstance(NODE.name()),
            Array.newInstance(ELSEWHERE.loadClass(UNKNOWN.name()), 1),
            ELSEWHERE.loadClass(NODE.name())
        };
        for (GroupWriter writer : groupWriters()) {
            for (int group = 0; group < 2; group++) {
                List<Object> written = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    Object node = LOADER.newInstance(NODE.name());
                    GeneratedClass.set(node, "content", "content " + i);
                    Object value = i % 100 > 50 ? new Timestamp(i) : node;
                    writer.write(new Pair(i, value));
                    written.add(i);
                    if (i % 10 == 9) {
                        // Not the same object each time, nor at the same place behind objects that have been written.
                        Object bad = new Pair(new Pair(i, "text " + i), refused[i / 10 % refused.length]);
                        assertThatThrownBy(() -> writer.write(bad))
                                .isInstanceOf(HeapspanException.class)
                                .hasMessageStartingWith("root.value: ");
                    }
                    assertThat(writer.recordCount()).isEqualTo(written.size());
                }
                GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
                for (Object expected : written) {
                    Pair copy = (Pair) reader.next();
                    assertThat(copy.key).isEqualTo(expected);
                    if (!(copy.value instanceof Timestamp)) {
                        assertThat(copy.value.getClass()).isSameAs(LOADER.loadClass(NODE.name()));
                        assertThat(GeneratedClass.get(copy.value, "content")).isEqualTo("content " + expected);
                    }
                }
                assertThat(reader.hasNext()).isFalse();
            }
        }
    }

    @Test
    void aRowEndsAtTheRefusedRecord() throws Exception {
        // Finds this test's Paint, and a Shade that is not Paint's.
        Heapspan heapspan = Heapspan.builder()
                .classLoader(new RedefiningLoader(Shade.class))
                .findableOnly(true)
                .build();
        for (Encoding encoding : ENCODINGS) {
            GroupWriter writer = heapspan.groupWriter(encoding);
            Object[] records = new Object[5000];
            for (int i = 0; i < records.length; i++) {
                records[i] = new Paint(i, i == 3000 ? Shade.LIGHT : null);
            }
            HeapspanException refusal = catchThrowableOfType(HeapspanException.class, () -> writer.writeAll(records));
            isRefusal(refusal, "root.shade", Shade.class.getName());
            assertThat(writer.recordCount()).isEqualTo(3000);
            writer.writeAll(new Object[] {new Paint(-1, null), new Paint(-2, null)});
            GroupReader reader = heapspan.trustedGroupReader(writer.finish());
            for (int i = 0; i < 3000; i++) {
                assertThat(((Paint) reader.next()).number).isEqualTo(i);
            }
            assertThat(((Paint) reader.next()).number).isEqualTo(-1);
            assertThat(((Paint) reader.next()).number).isEqualTo(-2);
            assertThat(reader.hasNext()).isFalse();
        }
    }

    @Test
    void refusesWhatIsWrittenToAnObjectStream() throws Exception {
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        try (HeapspanObjectOutputStream output =
                new HeapspanObjectOutputStream(new ByteArrayOutputStream(), HEAPSPAN)) {
            output.writeObject(new Pair("key", "value"));
            HeapspanException refusal =
                    catchThrowableOfType(HeapspanException.class, () -> output.writeObject(new Pair("key", unknown)));
            isRefusal(refusal, "root.value", UNKNOWN.name());
        }
    }

    @Test
    void withoutItAnyClassIsEncoded() throws Exception {
        Heapspan heapspan = Heapspan.builder().classLoader(LOADER).build();
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        Object other = ELSEWHERE.newInstance(NODE.name());
        for (Encoding encoding : ENCODINGS) {
            byte[] image = heapspan.encode(new Pair("key", unknown), encoding);
            assertThatThrownBy(() -> decoded(heapspan, image))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining(UNKNOWN.name());
            Pair copy = (Pair) decoded(heapspan, heapspan.encode(new Pair("key", other), encoding));
            assertThat(copy.value.getClass()).isSameAs(LOADER.loadClass(NODE.name()));
        }
    }

    @Test
    void copiesAreMadeOfAnyClass() throws Exception {
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        Pair copy = HEAPSPAN.copy(new Pair(unknown.getClass(), unknown));
        assertThat(copy.key).isSameAs(unknown.getClass());
        assertThat(copy.value).isInstanceOf(unknown.getClass());
    }

    @Test
    void asksTheLoaderOfTheThreadWithoutOneOfItsOwn() throws Exception {
        Heapspan heapspan = Heapspan.builder().findableOnly(true).build();
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try {
            for (int i = 0; i < 2; i++) {
                Thread.currentThread().setContextClassLoader(ELSEWHERE);
                for (Encoding encoding : ENCODINGS) {
                    assertThat(decoded(heapspan, heapspan.encode(unknown, encoding)))
                            .isInstanceOf(unknown.getClass());
                }
                Thread.currentThread().setContextClassLoader(LOADER);
                isRefused(heapspan, unknown, "root", UNKNOWN.name());
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** By the registry a class is found in the loader that has its name; the raw encoding has names of classes alone. */
    @Test
    void classesOfNamedLoadersAreFoundThere() throws Exception {
        Heapspan heapspan = Heapspan.builder()
                .classLoader(LOADER)
                .findableOnly(true)
                .typeRegistry(TypeRegistry.local())
                .loaderScopes(new LoaderScopes().name("elsewhere", ELSEWHERE))
                .build();
        Object unknown = ELSEWHERE.newInstance(UNKNOWN.name());
        Pair copy = (Pair) decoded(heapspan, heapspan.encode(new Pair("key", unknown)));
        assertThat(copy.value).isInstanceOf(unknown.getClass());
        assertThatThrownBy(() -> heapspan.encode(new Pair("key", unknown.getClass())))
                .isInstanceOf(HeapspanException.class)
                .hasMessageStartingWith("root.value: " + UNKNOWN.name());
        if (ENCODINGS.contains(Encoding.RAW)) {
            assertThatThrownBy(() -> heapspan.encode(new Pair("key", unknown), Encoding.RAW))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining(UNKNOWN.name());
        }
    }
}
