package org.heapspan.benchmarks.flink.queries;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Arrays of records that go to the same task, in place of single records. */
final class Group {
    private Group() {}

    /** Gathers what another function makes. */
    static final class Gathering<T> implements FlatMapFunction<Long, T[]> {
        private static final long serialVersionUID = 1L;

        private final Shuffle<T> shuffle;
        private final FlatMapFunction<Long, T> source;
        private final int size;

        /**
         * For one shuffle.
         *
         * @param size the most records in a group
         */
        Gathering(Shuffle<T> shuffle, FlatMapFunction<Long, T> source, int size) {
            this.shuffle = shuffle;
            this.source = source;
            this.size = size;
        }

        @Override
        public void flatMap(Long part, Collector<T[]> output) throws Exception {
            Gatherer<T> gatherer = new Gatherer<>(shuffle, size, output);
            source.flatMap(part, gatherer);
            gatherer.close();
        }
    }

    private static final class Gatherer<T> implements Collector<T> {
        private final Shuffle<T> shuffle;
        private final int size;
        private final Collector<T[]> output;
        private final List<List<T>> groups = new ArrayList<>();

        Gatherer(Shuffle<T> shuffle, int size, Collector<T[]> output) {
            this.shuffle = shuffle;
            this.size = size;
            this.output = output;
            for (int task = 0; task < QueryCluster.TASK_MANAGERS; task++) {
                groups.add(new ArrayList<>(size));
            }
        }

        @Override
        public void collect(T element) {
            List<T> group = groups.get(Shuffle.taskOf(shuffle.key(element)));
            group.add(element);
            if (group.size() == size) {
                send(group);
            }
        }

        @SuppressWarnings("unchecked") // It has this type.
        private void send(List<T> group) {
            output.collect(group.toArray((T[]) Array.newInstance(shuffle.type(), group.size())));
            group.clear();
        }

        @Override
        public void close() {
            for (List<T> group : groups) {
                if (!group.isEmpty()) {
                    send(group);
                }
            }
        }
    }

    /** Takes the records out again. */
    static final class Opening<T> implements FlatMapFunction<T[], T> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(T[] group, Collector<T> output) {
            for (T element : group) {
                output.collect(element);
            }
        }
    }
}
