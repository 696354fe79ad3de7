package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.testing.NestedKind.onStack;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.NestedKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where no larger stack is to be had, objects that must be complete at once nest as deeply as the stack of the thread lets them. */
@Tag("once")
final class StackLimitTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int SMALL_STACK_BYTES = 512 << 10;
    private static final int LARGE_STACK_BYTES = 1 << 30;
    private static final int DEEP_LEVELS = 20_000;

    /** Calls from within the loading of a class, which others may wait for: the call has to stay on its thread. */
    private static final class Staying extends ClassLoader {
        private void call(Callable<?> call) throws Exception {
            call.call();
        }
    }

    private static void assertStackTooSmall(Callable<?> call) {
        assertThatThrownBy(call::call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("stack")
                .hasMessageContaining("-Xss");
    }

    /** Raw images copy some of these as they lie in the heap, which needs no stack. */
    private static void assertWorksOrStackTooSmall(Callable<?> call) throws Exception {
        try {
            call.call();
        } catch (HeapspanException e) {
            assertStackTooSmall(() -> {
                throw e;
            });
        }
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

    /** What works before and after: a graph with objects of the kind, in every way. */
    private static void assertWorks(NestedKind kind) throws Exception {
        Object shallow = new ArrayList<>(List.of(kind.nested(20), kind.nested(1)));
        byte[] image = HEAPSPAN.encode(shallow);
        assertThat(HEAPSPAN.encode(HEAPSPAN.decode(image, Object.class))).isEqualTo(image);
        assertThat(HEAPSPAN.encode(HEAPSPAN.copy(shallow))).isEqualTo(image);
        byte[] raw = HEAPSPAN.encode(shallow, Encoding.RAW);
        assertThat(HEAPSPAN.encode(HEAPSPAN.decodeTrusted(raw, Object.class))).isEqualTo(image);
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatToDoWhereTheStackEnds(NestedKind kind) throws Exception {
        Object deep = onStack(LARGE_STACK_BYTES, () -> kind.nested(DEEP_LEVELS));
        byte[] image = onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(deep));
        byte[] stream = onStack(LARGE_STACK_BYTES, () -> streamed("first", deep, "last"));
        onStack(SMALL_STACK_BYTES, () -> {
            new Staying().call(() -> assertStays(kind, deep, image, stream));
            return null;
        });
        byte[] again = onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(HEAPSPAN.decode(image, Object.class)));
        assertThat(again).isEqualTo(image);
    }

    private static @Nullable Object assertStays(NestedKind kind, Object deep, byte[] image, byte[] stream)
            throws Exception {
        assertWorks(kind);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertStackTooSmall(() -> HEAPSPAN.encode(deep));
            assertWorksOrStackTooSmall(() -> HEAPSPAN.encode(deep, Encoding.RAW));
            assertStackTooSmall(() -> HEAPSPAN.copy(deep));
            assertStackTooSmall(() -> HEAPSPAN.decode(image, Object.class));
            assertStackTooSmall(() -> streamed("first", deep));
            for (IdentityScope scope : IdentityScope.values()) {
                GroupWriter group = HEAPSPAN.groupWriter(scope);
                group.write("before");
                assertStackTooSmall(() -> {
                    group.write(deep);
                    return null;
                });
                group.write("after");
                GroupReader records = HEAPSPAN.groupReader(group.finish());
                assertThat(List.of(records.next(), records.next())).containsExactly("before", "after");
                assertThat(records.hasNext()).isFalse();
            }
            try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
                assertThat(input.readObject()).isEqualTo("first");
                assertStackTooSmall(input::readObject);
                // Somewhere in the middle of it: nothing that follows can be found.
                assertThatThrownBy(input::readObject).isInstanceOf(IOException.class);
            }
            assertWorks(kind);
        }
        return null;
    }
}
