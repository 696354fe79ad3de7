package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.Option;
import scala.Tuple2;
import scala.reflect.ClassTag$;
import scala.util.Either;
import scala.util.Right;

/**
 * Lets executors keep marked objects in every way, and tells of each whether their marks can be read in any file: {@code results folder}.
 */
public final class SecrecyApplication {
    private static final int RECORDS = 4_000;
    private static final int PARTITIONS = 2;

    private final JavaSparkContext context;
    private final Results results;

    private SecrecyApplication(JavaSparkContext context, Results results) {
        this.context = context;
        this.results = results;
    }

    /** An object with a mark, and some bytes more. */
    public record Marked(String kind, long number, String text) implements Serializable {
        static Marked of(String kind, long number) {
            return new Marked(kind, number, MarkerSearch.marker(kind, number));
        }
    }

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            new SecrecyApplication(context, results).run(Path.of(arguments[1]));
        }
        results.write(arguments[0]);
    }

    private void run(Path folder) throws Exception {
        cached("cache", StorageLevel.MEMORY_ONLY());
        cached("disk", StorageLevel.DISK_ONLY());
        results.put("spill", spilled("spill"));
        results.put("shuffle", shuffled("shuffle"));
        table("table");
        broadcast("broadcast");
        checkpoint("checkpoint", folder.resolve("checkpoints"));
    }

    private JavaRDD<Marked> marked(String kind) {
        return context.parallelize(IntStream.range(0, RECORDS).boxed().toList(), PARTITIONS)
                .map(number -> Marked.of(kind, number));
    }

    /** Whether any executor finds a mark. */
    private boolean found(String kind) {
        return context.parallelize(List.of(1, 2, 3, 4), 4)
                .map(any -> {
                    Thread.sleep(200); // so that no executor does it all
                    return !MarkerSearch.filesWith(MarkerSearch.prefix(kind)).isEmpty();
                })
                .reduce((one, other) -> one || other);
    }

    private void cached(String kind, StorageLevel level) {
        JavaRDD<Marked> cached = marked(kind).persist(level);
        results.put(kind + ", records", cached.count());
        results.put(kind, found(kind));
        results.put(
                kind + ", right",
                cached.filter(each -> each.equals(Marked.of(kind, each.number))).count());
        cached.unpersist(true);
    }

    /** Looks while a map task has spilled and not ended. */
    private boolean spilled(String kind) {
        return marked(kind)
                .mapPartitionsToPair(records -> new Searching(records, kind))
                .groupByKey(3)
                .map(group -> {
                    boolean found = false;
                    for (String each : group._2()) {
                        found |= each.equals("found");
                    }
                    return found;
                })
                .reduce((one, other) -> one || other);
    }

    /** Records, and behind them one that says whether a mark is in a file by then. */
    private static final class Searching implements Iterator<Tuple2<Long, String>> {
        private final Iterator<Marked> records;
        private final String kind;
        private boolean searched;

        Searching(Iterator<Marked> records, String kind) {
            this.records = records;
            this.kind = kind;
        }

        @Override
        public boolean hasNext() {
            return records.hasNext() || !searched;
        }

        @Override
        public Tuple2<Long, String> next() {
            if (records.hasNext()) {
                Marked record = records.next();
                return new Tuple2<>(record.number, record.text);
            }
            searched = true;
            try {
                boolean found =
                        !MarkerSearch.filesWith(MarkerSearch.prefix(kind)).isEmpty();
                return new Tuple2<>(-1L, found ? "found" : "not found");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private boolean shuffled(String kind) {
        var grouped = marked(kind)
                .mapToPair(each -> new Tuple2<>(each.number % 10, each))
                .groupByKey(3);
        results.put(
                kind + ", records",
                grouped.flatMap(each -> each._2().iterator()).count());
        return found(kind);
    }

    private void table(String kind) {
        SparkSession session = SparkSession.builder().sparkContext(context.sc()).getOrCreate();
        // Not made by an expression, whose text would be in the log.
        Dataset<String> rows = session.createDataset(
                        marked(kind).map(Marked::text).rdd(), Encoders.STRING())
                .cache();
        results.put(kind + ", records", rows.count());
        results.put(kind, found(kind));
        rows.unpersist(true);
    }

    /** In memory at first, then where Spark puts what has no room there. */
    private void broadcast(String kind) {
        Broadcast<List<Marked>> broadcast = context.broadcast(
                IntStream.range(0, RECORDS).mapToObj(i -> Marked.of(kind, i)).toList());
        long blocks = context.parallelize(List.of(1, 2, 3, 4), 4)
                .map(any -> {
                    Thread.sleep(200);
                    broadcast.value();
                    return (long) evictPieces(broadcast.id());
                })
                .reduce(Long::sum);
        results.put(kind + ", evicted", blocks > 0);
        results.put(kind, found(kind));
    }

    /** Moves the pieces of a broadcast to Spark's disk, as if memory were used up. */
    private static int evictPieces(long broadcast) {
        BlockManager blocks = SparkEnv.get().blockManager();
        BlockInfoManager locks = blocks.blockInfoManager();
        BlockId piece = new BroadcastBlockId(broadcast, "piece0");
        if (!blocks.memoryStore().contains(piece)
                || locks.lockForWriting(piece, false).isEmpty()) {
            return 0;
        }
        try {
            blocks.dropFromMemory(piece, () -> bytes(blocks, piece), ClassTag$.MODULE$.Object());
        } finally {
            locks.unlock(piece, Option.empty());
        }
        return blocks.diskStore().contains(piece) ? 1 : 0;
    }

    private static Either<Object, ChunkedByteBuffer> bytes(BlockManager blocks, BlockId block) {
        return new Right<>(blocks.memoryStore().getBytes(block).get());
    }

    /** Files that outlive the application, which Spark itself does not encrypt. */
    private void checkpoint(String kind, Path folder) throws IOException {
        context.setCheckpointDir(folder.toString());
        JavaRDD<Marked> marked = marked(kind);
        marked.checkpoint();
        results.put(kind + ", records", marked.count());
        results.put(kind + ", written", marked.getCheckpointFile().isPresent());
        results.put(
                kind, !MarkerSearch.inFolder(folder, MarkerSearch.prefix(kind)).isEmpty());
        JavaRDD<Marked> local = marked(kind + "-local");
        local.rdd().localCheckpoint();
        results.put(kind + "-local, records", local.count());
        results.put(kind + "-local", found(kind + "-local"));
    }
}
