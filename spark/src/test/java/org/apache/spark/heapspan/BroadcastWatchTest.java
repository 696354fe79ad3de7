package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.broadcast.BroadcastFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

@Tag("once")
final class BroadcastWatchTest {
    private final List<Boolean> asked = new ArrayList<>();

    /** Asks as often as the value says, and fails for negative ones. */
    private final BroadcastWatch watch = new BroadcastWatch(new BroadcastFactory() {
        @Override
        @SuppressWarnings("NullAway") // Nobody looks at it.
        public <T> Broadcast<T> newBroadcast(
                T value, boolean isLocal, long id, boolean serializedOnly, ClassTag<T> tag) {
            for (int i = 0; i < Math.abs((Integer) value); i++) {
                asked.add(BroadcastWatch.isNextForBroadcast());
            }
            if ((Integer) value < 0) {
                throw new IllegalStateException("the value cannot be written");
            }
            return null;
        }

        @Override
        public void initialize(boolean isDriver, SparkConf conf) {}

        @Override
        public void unbroadcast(long id, boolean removeFromDriver, boolean blocking) {}

        @Override
        public void stop() {}
    });

    private void broadcast(int value) {
        watch.newBroadcast(value, false, 0, false, ClassTag$.MODULE$.apply(Integer.class));
    }

    /** The second one is what the value itself asks for while it is written. */
    @Test
    void theFirstInstanceOfABroadcastIsForIt() {
        broadcast(2);
        assertThat(asked).containsExactly(true, false);
        assertThat(BroadcastWatch.isNextForBroadcast()).isFalse();
    }

    @Test
    void nothingIsLeftOfABroadcastThatAskedForNoneOrFailed() {
        broadcast(0);
        assertThat(BroadcastWatch.isNextForBroadcast()).isFalse();
        assertThatThrownBy(() -> broadcast(-1)).isInstanceOf(IllegalStateException.class);
        assertThat(asked).containsExactly(true);
        assertThat(BroadcastWatch.isNextForBroadcast()).isFalse();
    }
}
