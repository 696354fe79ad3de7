package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.testing.NestedKind.onStack;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.NestedKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects that must be complete at once nest more deeply than the stack of the thread lets them. */
final class DepthTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int STACK_BYTES = 1 << 20;
    private static final int LEVELS = 10_000;

    /** For what a test does beside what it tests. */
    private static final long LARGE_STACK_BYTES = 1 << 30;

    /** A graph, and what it must be once it has travelled. */
    private record Deep(Object graph, byte[] image) {
        static Deep of(Object graph) throws Exception {
            return new Deep(graph, onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(graph)));
        }

        void assertCopied(@Nullable Object copy) throws Exception {
            assertThat(onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(copy))).isEqualTo(image);
        }
    }

    @Tag("once")
    @ParameterizedTest
    @EnumSource
    void everyKindNests(NestedKind kind) throws Exception {
        Object graph = kind.nested(LEVELS);
        byte[] image = onStack(STACK_BYTES, () -> HEAPSPAN.encode(graph));
        Object copy = onStack(STACK_BYTES, () -> HEAPSPAN.decode(image, Object.class));
        Deep.of(graph).assertCopied(copy);
    }

    @Test
    void copies() throws Exception {
        Deep deep = Deep.of(NestedKind.mixed(LEVELS));
        deep.assertCopied(onStack(STACK_BYTES, () -> HEAPSPAN.copy(deep.graph())));
    }

    @Test
    void rawImages() throws Exception {
        Deep deep = Deep.of(NestedKind.mixed(LEVELS));
        byte[] raw = onStack(STACK_BYTES, () -> HEAPSPAN.encode(deep.graph(), Encoding.RAW));
        deep.assertCopied(onStack(STACK_BYTES, () -> HEAPSPAN.decodeTrusted(raw, Object.class)));
    }

    @Test
    void objectStreams() throws Exception {
        Deep deep = Deep.of(NestedKind.mixed(LEVELS));
        byte[] bytes = onStack(STACK_BYTES, () -> streamed("first", deep.graph(), "last"));
        onStack(STACK_BYTES, () -> {
            try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes))) {
                assertThat(input.readObject()).isEqualTo("first");
                deep.assertCopied(input.readObject());
                assertThat(input.readObject()).isEqualTo("last");
            }
            return null;
        });
    }

    private static byte[] streamed(Object... objects) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(bytes)) {
            for (Object each : objects) {
                stream.writeObject(each);
            }
        }
        return bytes.toByteArray();
    }

    @Tag("once")
    @ParameterizedTest
    @EnumSource
    void groups(IdentityScope scope) throws Exception {
        Deep deep = Deep.of(NestedKind.mixed(LEVELS));
        byte[] group = onStack(STACK_BYTES, () -> {
            GroupWriter writer = HEAPSPAN.groupWriter(scope);
            writer.write("first");
            writer.write(deep.graph());
            writer.write("last");
            return writer.finish();
        });
        List<Object> records = onStack(STACK_BYTES, () -> {
            GroupReader reader = HEAPSPAN.groupReader(group);
            return List.of(reader.next(), reader.next(), reader.next());
        });
        assertThat(records.get(0)).isEqualTo("first");
        deep.assertCopied(records.get(1));
        assertThat(records.get(2)).isEqualTo("last");
    }

    /** Where the stack ends, one object after another needs a larger one. */
    @Tag("once")
    @Test
    void wideGraphs() throws Exception {
        Object[] siblings = new Object[500];
        for (int i = 0; i < siblings.length; i++) {
            siblings[i] = NestedKind.HOOKED.nested(3 + i);
        }
        Object graph = List.of(siblings);
        for (int level = 0; level < LEVELS; level++) {
            graph = level % 100 == 0 ? List.of(graph, NestedKind.OPTIONAL.nested(500)) : List.of(graph);
        }
        Deep deep = Deep.of(graph);
        byte[] image = onStack(STACK_BYTES, () -> HEAPSPAN.encode(deep.graph()));
        assertThat(image).isEqualTo(deep.image());
        deep.assertCopied(onStack(STACK_BYTES, () -> HEAPSPAN.decode(image, Object.class)));
    }

    /** The hash code of the outermost key goes through all others. */
    @Test
    void keysWithDeepHashCodes() throws Exception {
        KeysOnASmallStack.main();
    }

    /** A larger stack begins with classes that are not loaded and lambdas that are not linked yet, where little stack is left. */
    @Test
    void keysWithDeepHashCodesInAColdJvm() throws Exception {
        JavaProcess.run(KeysOnASmallStack.class, List.of(JavaProcess.BOTH_COMPILERS));
    }

    /** Decodes keys in keys. */
    static final class KeysOnASmallStack {
        private static final int KEYS = 2_000;
        private static final int SMALL_STACK_BYTES = 256 << 10;

        private KeysOnASmallStack() {}

        public static void main(String... arguments) throws Exception {
            byte[] image = onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(nested()));
            Object copy = onStack(SMALL_STACK_BYTES, () -> HEAPSPAN.decode(image, Object.class));
            assertThat(onStack(LARGE_STACK_BYTES, () -> found(copy))).isEqualTo(KEYS);
        }

        private static Object nested() {
            Object nested = "core";
            for (int i = 0; i < KEYS; i++) {
                nested = i % 3 == 0 ? Set.of(new NestedKind.Key(nested), "other") : hashSet(nested);
            }
            return nested;
        }

        /** How many keys are found in their sets. */
        private static int found(Object copy) {
            int count = 0;
            Object each = copy;
            while (each instanceof Set<?> set) {
                NestedKind.Key key = (NestedKind.Key) set.stream()
                        .filter(NestedKind.Key.class::isInstance)
                        .findFirst()
                        .orElseThrow();
                count += set.contains(key) ? 1 : 0;
                each = key.content();
            }
            return count;
        }
    }

    private static Set<Object> hashSet(Object content) {
        Set<Object> set = new HashSet<>();
        set.add(new NestedKind.Key(content));
        set.add("other");
        return set;
    }
}
