package org.heapspan.tests.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import org.junit.jupiter.api.Test;

/** Random graphs over 10,000 generated classes. */
final class RandomGraphTest {

    private static final long SEED = Long.getLong("heapspan.tests.seed", 20_260_101L);

    /** The test tested: Java serialization passes the same comparison. */
    @Test
    void javaSerializationPassesTheComparison() throws Exception {
        RandomGraphRun.Outcome outcome =
                new RandomGraphRun(RandomGraphTest::copyByJavaSerialization).run(SEED, 500, 20);
        System.out.println("RandomGraphTest, Java serialization: " + outcome);
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

    private static Object copyByJavaSerialization(Object root, ClassLoader loader)
            throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(root);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass description) throws ClassNotFoundException {
                return Class.forName(description.getName(), false, loader);
            }
        }) {
            return in.readObject();
        }
    }
}
