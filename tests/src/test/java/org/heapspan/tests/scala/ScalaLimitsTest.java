package org.heapspan.tests.scala;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit on elements, for collections of Scala that travel by their contents. */
final class ScalaLimitsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int LIMIT = 20;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "immutable.List",
                "immutable.Vector",
                "immutable.Queue",
                "immutable.HashSet",
                "immutable.ListSet",
                "mutable.ArrayBuffer",
                "mutable.ListBuffer",
                "mutable.HashSet",
                "mutable.LinkedHashSet",
                "immutable.HashMap",
                "immutable.ListMap",
                "mutable.HashMap",
                "mutable.LinkedHashMap"
            })
    void keepsLimitOfElements(String name) throws ReflectiveOperationException {
        Heapspan limited = Heapspan.builder().maxArrayLength(LIMIT).build();
        byte[] tooLarge = HEAPSPAN.encode(collection(name, LIMIT + 1));
        assertThatThrownBy(() -> limited.decode(tooLarge, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("maxArrayLength " + LIMIT);
        Object largest = collection(name, LIMIT);
        assertThat(limited.decode(HEAPSPAN.encode(largest), Object.class)).isEqualTo(largest);
    }

    /** A collection of numbers, or a map of numbers to themselves, made by its companion. */
    private static Object collection(String name, int count) throws ReflectiveOperationException {
        Class<?> companion = Class.forName("scala.collection." + name + "$");
        Object[] elements = IntStream.range(0, count)
                .<Object>mapToObj(i -> name.endsWith("Map") ? new scala.Tuple2<>(i, i) : i)
                .toArray();
        Object sequence = new scala.collection.immutable.ArraySeq.ofRef<>(elements);
        return Arrays.stream(companion.getMethods())
                .filter(method -> method.getName().equals("from") && method.getParameterCount() == 1)
                .findFirst()
                .orElseThrow()
                .invoke(companion.getField("MODULE$").get(null), sequence);
    }
}
