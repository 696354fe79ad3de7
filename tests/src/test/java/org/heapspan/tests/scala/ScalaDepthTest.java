package org.heapspan.tests.scala;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.heapspan.Heapspan;
import org.junit.jupiter.api.Test;
import scala.collection.Seq;
import scala.collection.immutable.Nil$;
import scala.collection.mutable.ArrayBuffer;

/** Scala's collections nest deeper than the stack of the thread has room for. */
final class ScalaDepthTest {
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

    private static Object checkDepth(Object deep, byte[] image) {
        assertThat(HEAPSPAN.encode(deep)).isEqualTo(image);
        assertThat(depthOf(HEAPSPAN.decode(image, Object.class))).isEqualTo(LEVELS);
        assertThat(depthOf(HEAPSPAN.copy(deep))).isEqualTo(LEVELS);
        return deep;
    }

    private static int depthOf(Object nested) {
        int levels = 0;
        Object at = nested;
        while (at instanceof Seq<?> sequence) {
            assertThat(sequence.length()).isEqualTo(1);
            at = sequence.head();
            levels++;
        }
        assertThat(at).isEqualTo("core");
        return levels;
    }

    @Test
    void nestsDeeperThanTheStackOfTheThread() throws Exception {
        for (UnaryOperator<Object> kind : KINDS) {
            Object deep = nested(kind, LEVELS);
            byte[] image = onStack(1 << 30, () -> HEAPSPAN.encode(deep));
            onStack(512 << 10, () -> checkDepth(deep, image));
        }
    }
}
