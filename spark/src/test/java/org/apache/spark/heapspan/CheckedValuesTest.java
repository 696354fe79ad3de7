package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class CheckedValuesTest {
    private final List<Throwable> told = new ArrayList<>();

    /** One value, then a failure. */
    private static final class Failing implements PartitionStorage.Values {
        private final RuntimeException failure;
        private final boolean loss;
        private int asked;

        Failing(RuntimeException failure, boolean loss) {
            this.failure = failure;
            this.loss = loss;
        }

        @Override
        public boolean isLoss(Throwable thrown) {
            return loss && thrown == failure;
        }

        @Override
        public boolean hasNext() {
            if (++asked == 2) {
                throw failure;
            }
            return true;
        }

        @Override
        public Object next() {
            return "value";
        }

        @Override
        public void close() {}
    }

    @Test
    void lossIsToldOnceAndNothingIsReadBehindIt() {
        RuntimeException loss = new IllegalStateException("the page is gone");
        CheckedValues values = new CheckedValues(new Failing(loss, true), told::add);
        assertThat(values.hasNext()).isTrue();
        assertThat(values.next()).isEqualTo("value");
        assertThatThrownBy(values::hasNext).isSameAs(loss);
        assertThatThrownBy(values::next).isSameAs(loss);
        assertThatThrownBy(values::hasNext).isSameAs(loss);
        assertThat(told).containsExactly(loss);
    }

    @Test
    void whatTheReaderDoesWrongIsNoLoss() {
        RuntimeException failure = new NoSuchElementException("at the end");
        CheckedValues values = new CheckedValues(new Failing(failure, false), told::add);
        assertThat(values.hasNext()).isTrue();
        assertThatThrownBy(values::hasNext).isSameAs(failure);
        assertThat(told).isEmpty();
    }

    @Test
    void failureToTellIsKeptWithTheLoss() {
        RuntimeException loss = new IllegalStateException("no image");
        RuntimeException further = new IllegalStateException("the driver is gone");
        CheckedValues values = new CheckedValues(new Failing(loss, true), any -> {
            throw further;
        });
        assertThat(values.hasNext()).isTrue();
        assertThatThrownBy(values::hasNext).isSameAs(loss).hasSuppressedException(further);
    }
}
