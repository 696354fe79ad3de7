package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Option;

@Tag("once")
class TaskReadingsTest {
    private final TaskReadings readings = new TaskReadings();
    private final List<Numbers> closed = new ArrayList<>();

    private final class Numbers implements PartitionStorage.Values {
        private int next;

        @Override
        public boolean hasNext() {
            return next < 3;
        }

        @Override
        public Object next() {
            return next++;
        }

        @Override
        public boolean isLoss(Throwable failure) {
            return false;
        }

        @Override
        public void close() {
            closed.add(this);
        }
    }

    private static TaskContextImpl task() {
        return TaskContext$.MODULE$.empty();
    }

    private static List<Object> all(Iterator<Object> iterator) {
        List<Object> all = new ArrayList<>();
        iterator.forEachRemaining(all::add);
        return all;
    }

    @Test
    void whatIsNotReadToItsEndIsClosedWithTheTask() {
        TaskContextImpl task = task();
        Numbers first = new Numbers();
        Numbers second = new Numbers();
        assertThat(readings.begin(task, first).next()).isEqualTo(0);
        assertThat(readings.begin(task, second).next()).isEqualTo(0);
        assertThat(closed).isEmpty();

        task.markTaskCompleted(Option.empty());

        assertThat(closed).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void whatHasBeenReadIsForgotten() {
        TaskContextImpl task = task();
        for (int i = 0; i < 1000; i++) {
            assertThat(all(readings.begin(task, new Numbers()))).containsExactly(0, 1, 2);
        }

        task.markTaskCompleted(Option.empty());

        assertThat(closed).isEmpty();
    }

    /** Each may have decoded a group of records. */
    @Test
    void whatNobodyReadsAnyMoreIsNotKeptUntilTheTaskEnds() throws InterruptedException {
        TaskContextImpl task = task();
        List<WeakReference<Numbers>> begun = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Numbers numbers = new Numbers();
            assertThat(readings.begin(task, numbers).next()).isEqualTo(0);
            begun.add(new WeakReference<>(numbers));
        }
        for (int i = 0; i < 100 && begun.stream().anyMatch(each -> each.get() != null); i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(begun).allSatisfy(each -> assertThat(each.get()).isNull());

        task.markTaskCompleted(Option.empty());

        assertThat(closed).isEmpty();
    }

    @Test
    void tasksEndByThemselves() {
        TaskContextImpl one = task();
        TaskContextImpl other = task();
        Numbers ofOne = new Numbers();
        Iterator<Object> stillRead = readings.begin(other, new Numbers());
        readings.begin(one, ofOne);

        one.markTaskCompleted(Option.empty());

        assertThat(closed).containsExactly(ofOne);
        assertThat(all(stillRead)).containsExactly(0, 1, 2);
    }

    @Test
    void aTaskThatHasEndedReadsNothingMore() {
        TaskContextImpl task = task();
        task.markTaskCompleted(Option.empty());
        Numbers late = new Numbers();

        readings.begin(task, late);

        assertThat(closed).contains(late);
    }

    @Test
    void withoutATaskNobodyCloses() {
        assertThat(all(readings.begin(null, new Numbers()))).containsExactly(0, 1, 2);
        assertThat(closed).isEmpty();
    }
}
