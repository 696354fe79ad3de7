package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.heapspan.benchmarks.flink.Peer;

/**
 * A job with one blocking exchange, whose records are made of the items of TPC-H. The number of the order decides on the task that gets a record.
 *
 * @param name on the command line of a run
 * @param title in tables
 * @param type class of the records
 * @param keys the number of the order
 * @param digests hashes of records
 * @param records makes records of the items in a part of the file
 * @param <T> the type
 */
record Shuffle<T>(
        String name, String title, Class<T> type, KeySelector<T, Long> keys, Digest<T> digests, Maker<T> records)
        implements Serializable {
    static final Shuffle<ObjectRows.LineItem> LINE_ITEMS = new Shuffle<>(
            "LINE_ITEMS",
            "line item",
            ObjectRows.LineItem.class,
            item -> item.order,
            item -> 31 * (31 * (31 * item.order + item.number) + item.cents) + item.comment.hashCode(),
            scan -> scan);

    static final Shuffle<Basket> BASKETS = new Shuffle<>(
            "BASKETS",
            "order with its items",
            Basket.class,
            basket -> basket.order,
            Basket::digest,
            Basket.Filling::new);

    static final List<Shuffle<?>> ALL = List.of(LINE_ITEMS, BASKETS);

    private static final long serialVersionUID = 1L;

    /** Makes a hash of a record. */
    @FunctionalInterface
    interface Digest<T> extends Serializable {
        long of(T element);
    }

    /** Makes records of items. */
    @FunctionalInterface
    interface Maker<T> extends Serializable {
        FlatMapFunction<Long, T> of(Scan<ObjectRows.LineItem> scan);
    }

    /** Sends keys to tasks. */
    private static final class ByKey implements Partitioner<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public int partition(Long key, int tasks) {
            return taskOf(key);
        }
    }

    static Shuffle<?> named(String name) {
        return ALL.stream()
                .filter(shuffle -> shuffle.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no shuffle is named " + name));
    }

    static int taskOf(long key) {
        return (int) (key % QueryCluster.TASK_MANAGERS);
    }

    long key(T element) {
        try {
            return keys.getKey(element);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Answer answer(T element) {
        return Answer.of(digests.of(element));
    }

    private static Scan<ObjectRows.LineItem> scan(Path folder) {
        return new Scan<>(folder.resolve("lineitem.tbl"), ObjectRows.LineItem::read);
    }

    /** What a job must answer, without Flink. */
    Answer expected(Path folder) throws Exception {
        Scan<ObjectRows.LineItem> scan = scan(folder);
        Sum<T> sum = new Sum<>(this);
        for (long part = 0; part < scan.parts(); part++) {
            records.of(scan).flatMap(part, sum);
        }
        return sum.answer;
    }

    private static final class Sum<T> implements Collector<T> {
        private final Shuffle<T> shuffle;
        private Answer answer = Answer.NONE;

        Sum(Shuffle<T> shuffle) {
            this.shuffle = shuffle;
        }

        @Override
        public void collect(T element) {
            answer = answer.plus(shuffle.answer(element));
        }

        @Override
        public void close() {
            // Nothing waits.
        }
    }

    /**
     * The job.
     *
     * @param folder of the files
     * @param groupSize how many records are sent as one; 1: each alone, and not in an array
     */
    DataStream<T> on(StreamExecutionEnvironment environment, Path folder, int groupSize) throws IOException {
        Scan<ObjectRows.LineItem> scan = scan(folder);
        DataStream<Long> parts = environment.fromSequence(0, scan.parts() - 1);
        DataStream<T> received = groupSize == 1 ? single(parts, scan) : grouped(parts, scan, groupSize);
        return received.filter(new AnswerSink<>(this::answer)).setParallelism(QueryCluster.TASK_MANAGERS);
    }

    private DataStream<T> single(DataStream<Long> parts, Scan<ObjectRows.LineItem> scan) {
        return parts.flatMap(records.of(scan))
                .returns(Peer.HEAPSPAN.information(type))
                .partitionCustom(new ByKey(), keys);
    }

    @SuppressWarnings("unchecked") // It is the class of arrays of this type.
    private DataStream<T> grouped(DataStream<Long> parts, Scan<ObjectRows.LineItem> scan, int groupSize) {
        TypeInformation<T[]> groups = Peer.HEAPSPAN.information((Class<T[]>) type.arrayType());
        return parts.flatMap(new Group.Gathering<>(this, records.of(scan), groupSize))
                .returns(groups)
                .partitionCustom(new ByKey(), group -> keys.getKey(group[0]))
                .flatMap(new Group.Opening<>())
                .returns(Peer.HEAPSPAN.information(type))
                .setParallelism(QueryCluster.TASK_MANAGERS);
    }
}
