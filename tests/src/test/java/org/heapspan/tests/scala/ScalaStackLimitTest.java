package org.heapspan.tests.scala;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.Nil$;
import scala.collection.mutable.ArrayBuffer;

/** Scala's collections nest as deeply as the stack lets them. */
final class ScalaStackLimitTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int LEVELS = 20_000;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static final List<UnaryOperator<Object>> KINDS = List.of(
            content -> ((scala.collection.immutable.List<Object>) (scala.collection.immutable.List) Nil$.MODULE$)
                    .$colon$colon(content),
            content -> new ArrayBuffer<>().addOne(content));

    private static Object nested(UnaryOperator<Object> kind, int levels) {
        Object nested = "core";
        for (int i = 0; i < levels; i++) {
            nested = kind.apply(nested);
        }
        return nested;
    }

    private static <T> T onStack(long sizeBytes, Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(null, task, "stack of " + sizeBytes, sizeBytes);
        thread.start();
        thread.join();
        return task.get();
    }

    private static void assertStackTooSmall(Callable<?> call) {
        assertThatThrownBy(call::call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("-Xss");
    }

    @Test
    void saysWhatToDoWhereTheStackEnds() throws Exception {
        for (UnaryOperator<Object> kind : KINDS) {
            Object deep = nested(kind, LEVELS);
            Object shallow = nested(kind, 20);
            byte[] image = onStack(1 << 30, () -> HEAPSPAN.encode(deep));
            onStack(512 << 10, () -> {
                for (int attempt = 0; attempt < 2; attempt++) {
                    assertThat(HEAPSPAN.copy(shallow)).isEqualTo(shallow);
                    assertStackTooSmall(() -> HEAPSPAN.encode(deep));
                    assertStackTooSmall(() -> HEAPSPAN.decode(image, Object.class));
                    assertThat(HEAPSPAN.copy(shallow)).isEqualTo(shallow);
                }
                return null;
            });
            byte[] again = onStack(1 << 30, () -> HEAPSPAN.encode(HEAPSPAN.decode(image, Object.class)));
            assertThat(again).isEqualTo(image);
        }
    }
}
