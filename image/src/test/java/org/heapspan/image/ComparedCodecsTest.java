package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

final class ComparedCodecsTest {
    /** As one that another thread polls, in the middle of it. */
    @Test
    @DisabledIfSystemProperty(named = "heapspan.access", matches = "reflection")
    void aQueueFromWhichAnElementIsBeingTakenIsRefused() {
        for (PriorityQueue<Integer> queue :
                List.of(new PriorityQueue<Integer>(), new PriorityQueue<Integer>(Comparator.reverseOrder()))) {
            queue.addAll(List.of(5, 3, 8));
            assertThat(Heapspan.create().copy(queue)).hasSize(3);
            long offset = Access.offsetOf(PriorityQueue.class, "queue", Object[].class);
            Object[] elements = (Object[]) Access.raw().getReference(queue, offset);
            elements[1] = null;
            assertThatThrownBy(() -> Heapspan.create().encode(queue))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                    .hasMessageContaining("java.util.PriorityQueue was changed by another thread");
        }
    }
}
