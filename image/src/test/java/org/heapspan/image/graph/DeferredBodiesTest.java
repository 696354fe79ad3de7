package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.codec.BuiltInTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queue of objects whose bodies come later, which grows while it is gone through. */
@Tag("once")
final class DeferredBodiesTest {
    private static final Codec LIST = BuiltInTypes.known(24);
    private static final Codec MAP = BuiltInTypes.known(25);

    private static Codec codecOf(int number) {
        return number % 3 == 0 ? LIST : MAP;
    }

    /** Goes through a queue to which each object adds others, and gives all in the order in which they came. */
    private static List<Object> run(DeferredBodies bodies, int first, int total, int addedByEach) {
        List<Object> taken = new ArrayList<>();
        int added = bodies.count() - first;
        for (int index = first; index < bodies.count(); index = bodies.next(first, index)) {
            int number = taken.size();
            assertThat(bodies.codec(index)).isSameAs(codecOf(number));
            taken.add(bodies.take(index));
            for (int i = 0; i < addedByEach && added < total; i++) {
                bodies.add(codecOf(added), added);
                added++;
            }
        }
        bodies.endSection(first);
        return taken;
    }

    private static List<Object> numbers(int count) {
        List<Object> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    /** Widths for which places are used again, and for which they never are. */
    @Test
    void objectsComeInTheOrderInWhichTheyWereAdded() {
        for (int width : new int[] {1, 2, 5}) {
            for (int total : new int[] {1, 1023, 1024, 1025, 20_000}) {
                DeferredBodies bodies = new DeferredBodies();
                bodies.add(codecOf(0), 0);
                assertThat(run(bodies, 0, total, width)).as("width %d", width).isEqualTo(numbers(total));
                assertThat(bodies.count()).isZero();
            }
        }
    }

    /** What an outer section has deferred stays where it is. */
    @Test
    void innerSectionsLeaveTheOuterOneAlone() {
        DeferredBodies bodies = new DeferredBodies();
        bodies.add(codecOf(0), 0);
        bodies.add(codecOf(1), 1);
        int inner = bodies.count();
        bodies.add(codecOf(0), 0);
        assertThat(run(bodies, inner, 5000, 1)).isEqualTo(numbers(5000));
        assertThat(bodies.count()).isEqualTo(inner);
        assertThat(run(bodies, 0, 2, 0)).isEqualTo(numbers(2));
    }

    /** A chain of any length takes few places: the queue grows with the width of a graph. */
    @Test
    void placesAreUsedAgain() {
        DeferredBodies bodies = new DeferredBodies();
        bodies.add(LIST, 0);
        int most = 0;
        int taken = 0;
        for (int index = 0; index < bodies.count(); index = bodies.next(0, index)) {
            bodies.take(index);
            if (++taken < 100_000) {
                bodies.add(LIST, taken);
            }
            most = Math.max(most, bodies.count());
        }
        assertThat(taken).isEqualTo(100_000);
        assertThat(most).isLessThan(2000);
    }
}
