package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

/** What Heapspan remembers of classes must not keep their loaders alive. */
final class ClassLoaderChurnTest {
    private static final int LOADERS = 200;

    private static final GeneratedClass NODE = new GeneratedClass(
            "generated.churn.Node",
            new LinkedHashMap<>(Map.of("value", "I", "next", "Ljava/lang/Object;", "name", "Ljava/lang/String;")));

    private static Object chain(GeneratedClass.Loader loader, int length) throws ReflectiveOperationException {
        Object chain = null;
        for (int i = 0; i < length; i++) {
            Object node = loader.newInstance(NODE.name());
            GeneratedClass.set(node, "value", i);
            GeneratedClass.set(node, "name", "node " + i);
            GeneratedClass.set(node, "next", chain);
            chain = node;
        }
        return chain;
    }

    private interface Use {
        void of(Heapspan heapspan, Object graph) throws Exception;
    }

    private static long loadersLeft(Heapspan heapspan, boolean fixedLoader, Use use) throws Exception {
        return loadersLeft(heapspan, fixedLoader, 0, use);
    }

    /** Collects until so many are left, or for a second. */
    private static long loadersLeft(Heapspan heapspan, boolean fixedLoader, int expected, Use use) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < LOADERS; i++) {
            useOneLoader(heapspan, fixedLoader, i, use, loaders);
        }
        long left = LOADERS;
        for (int attempt = 0; attempt < 100 && left > expected; attempt++) {
            System.gc();
            Thread.sleep(10);
            left = loaders.stream().filter(loader -> loader.get() != null).count();
        }
        Reference.reachabilityFence(heapspan);
        return left;
    }

    private static void useOneLoader(
            Heapspan heapspan, boolean ownInstance, int index, Use use, List<WeakReference<ClassLoader>> loaders)
            throws Exception {
        GeneratedClass.Loader loader = new GeneratedClass.Loader(NODE);
        loaders.add(new WeakReference<>(loader));
        // Every other graph is deep enough for bodies to be deferred.
        Object graph = chain(loader, index % 2 == 0 ? 3 : 300);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            use.of(ownInstance ? Heapspan.builder().classLoader(loader).build() : heapspan, graph);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static void assertSameClass(Object graph, Object copy) throws ReflectiveOperationException {
        assertThat(copy.getClass()).isSameAs(graph.getClass());
        assertThat(GeneratedClass.get(copy, "name")).isEqualTo(GeneratedClass.get(graph, "name"));
    }

    @Test
    void noticesALoaderThatIsKept() throws Exception {
        List<Object> kept = new ArrayList<>();
        long left = loadersLeft(Heapspan.create(), false, 7, (heapspan, graph) -> {
            if (kept.size() < 7) {
                kept.add(heapspan.copy(graph));
            }
        });
        assertThat(left).isEqualTo(7);
        Reference.reachabilityFence(kept);
    }

    @Test
    void letsLoadersGoAfterEncodeAndDecode() throws Exception {
        assertThat(loadersLeft(
                        Heapspan.create(),
                        false,
                        (heapspan, graph) ->
                                assertSameClass(graph, heapspan.decode(heapspan.encode(graph), Object.class))))
                .isZero();
    }

    /** Of a loader that stays. */
    static final class Holder implements Serializable {
        Object content;
        Object[] more;
    }

    @Test
    void letsLoadersGoOfWhatAnObjectOfAnotherLoaderRefersTo() throws Exception {
        assertThat(loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
                    Holder holder = new Holder();
                    holder.content = graph;
                    holder.more = (Object[]) java.lang.reflect.Array.newInstance(graph.getClass(), 1);
                    holder.more[0] = graph;
                    Holder copy = heapspan.decodeTrusted(heapspan.encode(holder, Encoding.RAW), Holder.class);
                    assertSameClass(graph, copy.content);
                    assertSameClass(graph, copy.more[0]);
                    assertSameClass(graph, heapspan.copy(holder).content);
                }))
                .isZero();
    }

    @Test
    void letsLoadersGoWithInstancesOfTheirOwn() throws Exception {
        assertThat(loadersLeft(
                        Heapspan.create(),
                        true,
                        (heapspan, graph) ->
                                assertSameClass(graph, heapspan.decode(heapspan.encode(graph), Object.class))))
                .isZero();
    }

    @Test
    void letsLoadersGoThatHaveBeenAskedForClasses() throws Exception {
        Heapspan shared = Heapspan.builder().findableOnly(true).build();
        GroupWriter group = shared.groupWriter();
        assertThat(loadersLeft(shared, false, (heapspan, graph) -> {
                    Heapspan own = Heapspan.builder()
                            .classLoader(graph.getClass().getClassLoader())
                            .findableOnly(true)
                            .build();
                    assertSameClass(graph, own.decode(own.encode(graph), Object.class));
                    assertSameClass(graph, heapspan.decode(heapspan.encode(graph), Object.class));
                    group.write(graph);
                    assertSameClass(
                            graph, heapspan.trustedGroupReader(group.finish()).next());
                }))
                .isZero();
        Reference.reachabilityFence(group);
    }

    /** The loader that is asked stays; it finds the interface of the proxies, and nothing else. */
    @Test
    void letsLoadersGoOfWhatIsNotFound() throws Exception {
        Heapspan finding = Heapspan.builder()
                .classLoader(ClassLoaderChurnTest.class.getClassLoader())
                .findableOnly(true)
                .build();
        assertThat(loadersLeft(finding, false, (heapspan, graph) -> {
                    Object proxy = Proxy.newProxyInstance(
                            graph.getClass().getClassLoader(), new Class<?>[] {Supplier.class}, new Handler());
                    assertThat(heapspan.decodeTrusted(heapspan.encode(proxy), Supplier.class))
                            .isNotNull();
                    assertThatThrownBy(() -> heapspan.encode(graph)).isInstanceOf(HeapspanException.class);
                }))
                .isZero();
    }

    static final class Handler implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "";
        }
    }

    @Test
    void letsLoadersGoAfterCopy() throws Exception {
        ClassLoader unaware = ClassLoaderChurnTest.class.getClassLoader();
        assertThat(loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
                    Thread.currentThread().setContextClassLoader(unaware);
                    assertSameClass(graph, heapspan.copy(graph));
                    Object[] more = heapspan.copy(new Object[] {graph.getClass(), List.of(graph), Map.of("k", graph)});
                    assertThat(more[0]).isSameAs(graph.getClass());
                }))
                .isZero();
    }

    @Test
    void letsLoadersGoAfterCollectionsAndArrays() throws Exception {
        assertThat(loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
                    Object array = java.lang.reflect.Array.newInstance(graph.getClass(), 2);
                    java.lang.reflect.Array.set(array, 0, graph);
                    Object[] all = {
                        List.of(graph, graph),
                        new HashMap<>(Map.of("k", graph)),
                        array,
                        graph.getClass(),
                        new ArrayList<>(List.of(graph))
                    };
                    Object[] copy = heapspan.decode(heapspan.encode(all), Object[].class);
                    assertThat(copy[3]).isSameAs(graph.getClass());
                    assertThat(heapspan.copy(all)[2].getClass()).isSameAs(array.getClass());
                }))
                .isZero();
    }

    @Test
    void letsLoadersGoAfterGroups() throws Exception {
        GroupWriter shared = Heapspan.create().groupWriter();
        long left = loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
            GroupWriter own = heapspan.groupWriter();
            for (GroupWriter writer : new GroupWriter[] {own, shared}) {
                writer.write(graph);
                writer.write(graph);
                GroupReader reader = heapspan.groupReader(writer.finish());
                assertSameClass(graph, reader.next());
                assertSameClass(graph, reader.next());
            }
        });
        assertThat(left).isZero();
        Reference.reachabilityFence(shared);
    }

    @Test
    void letsLoadersGoAfterGroupsThatShareObjects() throws Exception {
        GroupWriter shared = Heapspan.create().groupWriter(IdentityScope.GROUP);
        long left = loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
            GroupWriter own = heapspan.groupWriter(IdentityScope.GROUP);
            for (GroupWriter writer : new GroupWriter[] {own, shared}) {
                writer.write(graph);
                writer.write(new Object[] {graph, graph});
                GroupReader reader = heapspan.groupReader(writer.finish());
                Object first = reader.next();
                assertSameClass(graph, first);
                assertThat(((Object[]) reader.next())[1]).isSameAs(first);
            }
        });
        assertThat(left).isZero();
        Reference.reachabilityFence(shared);
    }

    /** The registry has one type for all of them, as their loaders have no names. */
    @Test
    void letsLoadersGoWithARegistry() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Heapspan shared = Heapspan.builder().typeRegistry(registry).build();
        GroupWriter group = shared.groupWriter();
        long left = loadersLeft(shared, false, (heapspan, graph) -> {
            assertSameClass(graph, heapspan.decode(heapspan.encode(graph), Object.class));
            assertSameClass(graph, heapspan.copy(graph));
            group.write(graph);
            assertSameClass(graph, heapspan.groupReader(group.finish()).next());
        });
        assertThat(left).isZero();
        assertThat(registry.typeOf(0)).isNotNull();
        assertThat(registry.typeOf(1)).isNull();
        Reference.reachabilityFence(group);
    }

    /** Each loader has a name of its own, so that the registry has a type for each. */
    @Test
    void letsNamedLoadersGo() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        LoaderScopes scopes = new LoaderScopes();
        Heapspan shared =
                Heapspan.builder().typeRegistry(registry).loaderScopes(scopes).build();
        GroupWriter group = shared.groupWriter(IdentityScope.GROUP);
        AtomicInteger names = new AtomicInteger();
        long left = loadersLeft(shared, false, (heapspan, graph) -> {
            scopes.name("plug-in " + names.incrementAndGet(), graph.getClass().getClassLoader());
            assertSameClass(graph, heapspan.decode(heapspan.encode(graph), Object.class));
            assertSameClass(graph, heapspan.copy(graph));
            group.write(graph);
            assertSameClass(graph, heapspan.groupReader(group.finish()).next());
        });
        assertThat(left).isZero();
        assertThat(registry.typeOf(LOADERS - 1)).isNotNull();
        assertThat(scopes.loaderOf("plug-in 1")).isNull();
        Reference.reachabilityFence(group);
    }

    @Test
    void letsLoadersGoAfterObjectStreams() throws Exception {
        assertThat(loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(bytes, heapspan)) {
                        output.writeObject(graph);
                    }
                    try (HeapspanObjectInputStream input =
                            new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), heapspan)) {
                        assertSameClass(graph, input.readObject());
                    }
                }))
                .isZero();
    }

    @Test
    void letsLoadersGoAfterFailures() throws Exception {
        assertThat(loadersLeft(Heapspan.create(), false, (heapspan, graph) -> {
                    try {
                        heapspan.encode(new Object[] {graph, Thread.currentThread()});
                        throw new AssertionError("a thread was encoded");
                    } catch (HeapspanException expected) {
                        assertThat(expected).hasMessageContaining("Thread");
                    }
                    byte[] image = Heapspan.builder().checksum(false).build().encode(new Object[] {graph, "end"});
                    image[image.length - 4] = 0;
                    try {
                        heapspan.decode(image, Object.class);
                    } catch (HeapspanException expected) {
                        assertThat(expected).hasMessageContaining("malformed");
                    }
                }))
                .isZero();
    }

    @Test
    void letsLoadersGoAfterEvolution() throws Exception {
        GeneratedClass older = new GeneratedClass(NODE.name(), Map.of("value", "I", "gone", "J"));
        Object old = new GeneratedClass.Loader(older).newInstance(NODE.name());
        byte[] image = Heapspan.create().encode(old);
        assertThat(loadersLeft(
                        Heapspan.create(),
                        false,
                        (heapspan, graph) -> assertThat(
                                        heapspan.decode(image, Object.class).getClass())
                                .isSameAs(graph.getClass())))
                .isZero();
    }
}
