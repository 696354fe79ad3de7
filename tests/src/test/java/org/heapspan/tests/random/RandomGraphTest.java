package org.heapspan.tests.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.heapspan.tests.conformance.Samples;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random graphs over 10,000 generated classes. */
final class RandomGraphTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_101L);

    /** The test tested: Java serialization passes the same comparison. */
    @Test
    void javaSerializationPassesTheComparison() throws Exception {
        RandomGraphRun.Outcome outcome = new RandomGraphRun(RandomGraphSoak.copier("java")).run(SEED, 500, 20);
        System.out.println("RandomGraphTest, Java serialization: " + outcome);
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.graphs()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"heapspan", "heapspan:objects", "heapspan:group", "heapspan:raw", "heapspan:raw-group"})
    void tenThousandGeneratedClassesRoundTrip(String codec) throws Exception {
        Assumptions.assumeTrue(Samples.isPresent(codec), codec + " is not on the class path");
        boolean whole = codec.equals("heapspan");
        RandomGraphRun.Outcome outcome =
                new RandomGraphRun(RandomGraphSoak.copier(codec)).run(SEED, whole ? 10_000 : 1_000, whole ? 90 : 20);
        System.out.println("RandomGraphTest, " + codec + ": " + outcome);
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.graphs()).isPositive();
    }

    /** The test tested: a copy that lost one sharing is told apart. */
    @Test
    void aLostSharingIsNoticed() throws Exception {
        String shared = new String("s");
        Object[] original = {shared, shared};
        assertThat(Isomorphism.difference(original, new Object[] {"s", new String("s")}, true))
                .isNotEmpty();
        assertThat(Isomorphism.difference(new Object[] {"a", new String("a")}, new Object[] {"a", "a"}, true))
                .isNotEmpty();
        assertThat(Isomorphism.difference(original, new Object[] {"s", "s"}, true))
                .isEmpty();
    }
}
