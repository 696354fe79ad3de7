package org.heapspan.exchange.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RepeatedValuesTest {
    private final RepeatedValues repeated = new RepeatedValues(Set.of(Integer.class));

    private void graph(Object... values) {
        ScopeUse use = new ScopeUse(SharedScope.EMPTY, repeated);
        for (Object value : values) {
            assertThat(use.applyAsInt(value)).isNegative();
        }
        repeated.add(use);
    }

    private static Object[] strings(String prefix) {
        Object[] strings = new Object[200];
        for (int i = 0; i < strings.length; i++) {
            strings[i] = prefix + " number " + i;
        }
        return strings;
    }

    @Test
    void valuesOfASecondGraphAreTaken() {
        graph(strings("a"));
        assertThat(repeated.take()).isEmpty();
        graph(strings("a"));
        assertThat(repeated.take()).hasSizeGreaterThan(190).isSubsetOf(strings("a"));
        assertThat(repeated.take()).isEmpty();
    }

    /** What one graph has several times takes a back reference only. */
    @Test
    void repetitionWithinAGraphDoesNotCount() {
        List<Object> values = new ArrayList<>(List.of(strings("b")));
        values.addAll(List.of(strings("b")));
        graph(values.toArray());
        assertThat(repeated.take()).isEmpty();
    }

    @Test
    void shortStringsAndOtherClassesDoNotCount() {
        for (int i = 0; i < 3; i++) {
            Object[] values = new Object[600];
            for (int k = 0; k < 200; k++) {
                values[3 * k] = "s" + k;
                values[3 * k + 1] = (long) k;
                values[3 * k + 2] = k * 77;
            }
            graph(values);
        }
        assertThat(repeated.take()).isNotEmpty().allMatch(value -> value instanceof Integer);
    }

    @Test
    void fewGraphsAreLookedAtWhileNothingRepeats() {
        int looked = 0;
        for (int i = 0; i < 10_000; i++) {
            if (repeated.looksAtNext()) {
                looked++;
                graph("the only string number " + i);
            }
        }
        assertThat(looked).isBetween(150, 300);
        // Until something does.
        for (int i = 0; i < 64 && !repeated.looksAtNext(); i++) {}
        graph(strings("c"));
        graph(strings("c"));
        assertThat(repeated.looksAtNext()).isTrue();
        assertThat(repeated.take()).isNotEmpty();
    }

    /** Of two graphs, each with more values that come again than a group takes. */
    @Test
    void atMostTheValuesOfAGroupAreTaken() {
        for (int first = 0; first < 400_000; first += 200_000) {
            Integer[] values = new Integer[100_000];
            for (int i = 0; i < values.length; i++) {
                values[i] = first + i;
            }
            graph((Object[]) values);
            graph((Object[]) values);
        }
        assertThat(repeated.take()).hasSize(RepeatedValues.MOST_VALUES);
        assertThat(repeated.take()).isEmpty();
    }

    /** In large graphs some hash codes are equal by chance. */
    @Test
    void equalHashCodesAreNotTakenForRepetition() {
        Random random = new Random(1);
        int looked = 0;
        for (int i = 0; i < 2_000; i++) {
            if (repeated.looksAtNext()) {
                looked++;
                graph(random.longs(20_000).mapToObj(Long::toHexString).toArray());
            }
        }
        assertThat(looked).isLessThan(50);
        assertThat(repeated.take()).isEmpty();
    }
}
