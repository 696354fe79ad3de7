package org.heapspan.tests.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random graphs over thousands of generated classes; {@code ./dev soak random} goes on for as long as wanted. */
final class RandomGraphTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_101L);

    /** The test tested: Java serialization passes the same comparison. */
    @Test
    void javaSerializationPassesTheComparison() throws Exception {
        roundTrip("java", 200);
    }

    static List<String> routes() {
        return RandomGraphSoak.routes();
    }

    /** On JDK 25 five hundred classes, and three thousand more by the first of the routes. On JDK 17 the first 200 of them. */
    @ParameterizedTest
    @MethodSource("routes")
    void generatedClassesRoundTripByEachRoute(String codec) throws Exception {
        if (Runtime.version().feature() < 25) {
            roundTrip(codec, 200);
        } else {
            roundTrip(codec, codec.equals(routes().get(0)) ? 3_500 : 500);
        }
    }

    private static void roundTrip(String codec, int classes) throws ReflectiveOperationException {
        System.out.println(
                "RandomGraphTest, " + codec + ": seed " + SEED + " (repeat with -Dheapspan.tests.seed=" + SEED + ")");
        RandomGraphRun.Outcome outcome = new RandomGraphRun(RandomGraphSoak.copier(codec)).run(SEED, classes);
        System.out.println("RandomGraphTest, " + codec + ": " + outcome);
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.classes()).isGreaterThanOrEqualTo(classes);
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
