package org.heapspan.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import org.heapspan.Heapspan;
import org.heapspan.tests.conformance.Samples;
import org.junit.jupiter.api.Test;

/** Garbage is told from memory that is held. */
final class SmallHeapTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    private final RecordingLoader loader = new RecordingLoader();

    /** Takes its memory where it is read. */
    private static final class Greedy implements Serializable {
        private static final long serialVersionUID = 1L;

        private transient byte[] held = {};

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            held = new byte[64 << 20];
        }

        @Override
        public String toString() {
            return held.length + " bytes";
        }
    }

    private InputCheck check() throws ReflectiveOperationException {
        return new InputCheck(Samples.none("heapspan:unchecked", loader), loader, "heapspan:unchecked");
    }

    @Test
    void whatHoldsMemoryIsAViolation() throws Exception {
        assertThat(check().decode(HEAPSPAN.encode(new Greedy()))).startsWith(InputCheck.MEMORY);
    }

    /** Sets that each hold the same two: their hash codes take time and garbage that double with each level. */
    @Test
    void garbageIsNone() throws Exception {
        Set<Object> left = new HashSet<>();
        Set<Object> right = new HashSet<>(Set.of("one more"));
        for (int level = 0; level < 16; level++) {
            Set<Object> nextLeft = new HashSet<>();
            nextLeft.add(left);
            nextLeft.add(right);
            Set<Object> nextRight = new HashSet<>(nextLeft);
            nextRight.add("one more");
            left = nextLeft;
            right = nextRight;
        }
        InputCheck check = check();
        assertThat(check.decode(HEAPSPAN.encode(left))).isEmpty();
        assertThat(check.largestRatio()).as("it is a case of much garbage").isGreaterThan(1000);
    }
}
