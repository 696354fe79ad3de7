package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.heapspan.Heapspan;
import org.heapspan.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects in static final fields are for readers of the second heap what they are on the Java heap. */
@SuppressWarnings("serial")
final class ConstantObjectsTest {
    @TempDir
    Path directory;

    private SecondHeap heap;

    /** The usual sentinel. */
    static class Node implements Serializable {
        static final Node NIL = new Node(null);

        /** Of a class of its own, held where its superclass is. */
        static final Node END = new Node(null) {};

        static final Comparable<?> UNRELATED = "unrelated";
        static Node changeable = new Node(null);

        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    /** Has a field that could hold an instance, and holds something else. */
    static final class WithLock implements Serializable {
        static final Object LOCK = new Object();
    }

    record Maybe(Object value) implements Serializable {
        static final Maybe NOTHING = new Maybe(null);
    }

    /** Its constants are in the class around it. */
    static final class Key implements Serializable {}

    static final Key FIRST = new Key();
    private static final Object SECOND = new Key();

    /** Holds the constants of the class within it, and must not be initialized because that one is looked at. */
    static final class Late {
        static final List<String> INITIALIZED = new ArrayList<>();

        static final class Holder {
            static final Inner CONSTANT = Inner.made("constant");

            static final class Inner implements Serializable {
                final String name;

                Inner(String name) {
                    this.name = name;
                }

                static Inner made(String name) {
                    INITIALIZED.add(name);
                    return new Inner(name);
                }
            }
        }
    }

    static final class Named implements Serializable {
        final String name;

        Named(String name) {
            this.name = name;
        }
    }

    private static final Map<String, Named> NAMED = Map.of("known", new Named("known"));

    @BeforeEach
    void open() {
        SharedObjects shared = SharedObjects.inFields(
                field -> false, type -> type == Named.class ? each -> NAMED.get(((Named) each).name) == each : null);
        heap = SecondHeap.open(
                directory,
                SecondHeapOptions.capacity(16 << 20)
                        .withRegionBytes(1 << 20)
                        .withoutThresholds()
                        .withShared(shared)
                        .withHeapspan(Heapspan.builder()
                                .mode(Mode.CLONE)
                                .checksum(false)
                                .links(shared)
                                .build()));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private List<Object> stored(Object... elements) {
        List<Object> read = new ArrayList<>();
        heap.append(Label.of(1), List.of(elements)).iterator().forEachRemaining(read::add);
        assertThat(read).hasSize(elements.length);
        return read;
    }

    @Test
    void valuesOfStaticFinalFieldsStayTheObjectsThatTheyAre() {
        IdentityHashMap<Object, String> byIdentity = new IdentityHashMap<>();
        byIdentity.put(FIRST, "first");
        byIdentity.put(SECOND, "second");
        List<Object> read = stored(
                Node.NIL,
                Node.END,
                new Node(Node.NIL),
                new Node(Node.END),
                new Object[] {FIRST, SECOND, Maybe.NOTHING, NAMED.get("known")},
                byIdentity);
        assertThat(read.get(0)).isSameAs(Node.NIL);
        assertThat(read.get(1)).isSameAs(Node.END);
        assertThat(((Node) read.get(2)).next).isSameAs(Node.NIL);
        assertThat(((Node) read.get(3)).next).isSameAs(Node.END);
        Object[] array = (Object[]) read.get(4);
        assertThat(array[0]).isSameAs(FIRST);
        assertThat(array[1]).isSameAs(SECOND);
        assertThat(array[2]).isSameAs(Maybe.NOTHING);
        assertThat(array[3]).isSameAs(NAMED.get("known"));
        Map<?, ?> map = (Map<?, ?>) read.get(5);
        assertThat((Object) map.get(FIRST)).isEqualTo("first");
        assertThat((Object) map.get(SECOND)).isEqualTo("second");
    }

    @Test
    void otherInstancesAreCopies() {
        Node node = new Node(Node.NIL);
        Key key = new Key();
        Named unknown = new Named("unknown");
        List<Object> read = stored(node, Node.changeable, key, new Maybe(key), unknown, new Named("known"));
        assertThat(((Node) read.get(0)).next).isSameAs(Node.NIL);
        assertThat(read.get(0)).isNotSameAs(node);
        assertThat(read.get(1)).isNotSameAs(Node.changeable);
        assertThat(read.get(2)).isNotSameAs(key).isNotSameAs(FIRST);
        assertThat(((Maybe) read.get(3)).value()).isNotSameAs(key);
        assertThat(((Named) read.get(4)).name).isEqualTo("unknown");
        assertThat(read.get(4)).isNotSameAs(unknown);
        assertThat(read.get(5)).isNotSameAs(NAMED.get("known"));
    }

    @Test
    void classesThatHoldConstantsAreNotInitializedAndHoldThemFromThenOn() {
        List<Object> before = stored(new Late.Holder.Inner("plain"));
        assertThat(((Late.Holder.Inner) before.get(0)).name).isEqualTo("plain");
        assertThat(Late.INITIALIZED).isEmpty();
        Object constant = Late.Holder.CONSTANT;
        assertThat(Late.INITIALIZED).containsExactly("constant");
        assertThat(stored(constant).get(0)).isSameAs(constant);
    }

    @Test
    void classesWithoutSuchFieldsAreNotAskedAbout() throws ReflectiveOperationException {
        SharedObjects shared = SharedObjects.inFields(field -> false);
        assertThat(WithLock.LOCK).as("the class is initialized").isNotNull();
        for (Class<?> type : List.of(Sample.class, WithLock.class, Logger.class, String.class)) {
            assertThat(shared.constantsOf(type)).as(type.getName()).isNull();
        }
        assertThat(shared.constantsOf(Node.class)).isNotNull();
        Field field = Node.class.getDeclaredField("UNRELATED");
        assertThat(StaticConstants.of(Node.class).holds(field)).isFalse();
    }

    @Test
    void constantsSurviveTheGroupsThatReferToThem() {
        H2Sequence<Object> sequence = heap.append(Label.of(1), List.of(new Node(Node.NIL), Node.END));
        Supplier<List<Object>> read = () -> {
            List<Object> all = new ArrayList<>();
            sequence.iterator().forEachRemaining(all::add);
            return all;
        };
        for (int pass = 0; pass < 3; pass++) {
            System.gc();
            assertThat(((Node) read.get().get(0)).next).isSameAs(Node.NIL);
            assertThat(read.get().get(1)).isSameAs(Node.END);
        }
        sequence.close();
    }
}
