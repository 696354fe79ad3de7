package org.heapspan.tests.spark.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import scala.Tuple2;

/**
 * Runs jobs of known size, then stays until its web UI has been looked at: {@code results address-file end-file}. The address of the web UI
 * is in the one file when the jobs are done; it ends when the other one is there.
 */
public final class TabApplication {
    /** How many records are cached in serialized form and read again. */
    public static final long CACHED = 40_000;

    /** In how many partitions they are, of which the second heap has as many. */
    public static final int PARTITIONS = 4;

    private static final int MOST_SECONDS = 900;

    private TabApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            JavaRDD<Event> events = context.parallelize(
                            IntStream.range(0, (int) CACHED).boxed().toList(), PARTITIONS)
                    .map(Event::number)
                    .setName("events")
                    .persist(StorageLevels.MEMORY_ONLY_SER);
            results.put("cached", events.count());
            results.put(
                    "read again", events.filter(event -> event.id() % 2 == 0).count());
            results.put(
                    "grouped",
                    events.mapToPair(event -> new Tuple2<>(event.owner(), event))
                            .groupByKey(3)
                            .count());
            results.put("refused", refused(context));
            JavaRDD<Event> inSecondHeap =
                    events.map(event -> event).setName("events as objects").persist(StorageLevels.MEMORY_ONLY);
            results.put("in the second heap", inSecondHeap.count());
            results.put("read from there", inSecondHeap.count());
            tell(Path.of(arguments[1]), context.sc().uiWebUrl().get());
            await(Path.of(arguments[2]));
        }
        results.write(arguments[0]);
    }

    /** A class that cannot travel, below a key that would be a script if a page did not escape it. */
    private static String refused(JavaSparkContext context) {
        try {
            return "no failure: "
                    + context.parallelize(List.of(1, 2), 2)
                            .map(any -> Map.of("<script>alert('key')</script>", new Thread("worker")))
                            .collect();
        } catch (Exception e) {
            if (e instanceof SparkException) {
                return String.valueOf(e.getMessage());
            }
            throw e;
        }
    }

    private static void tell(Path file, String address) throws Exception {
        Path unfinished = Path.of(file + ".new");
        Files.writeString(unfinished, address);
        Files.move(unfinished, file);
    }

    private static void await(Path file) throws InterruptedException {
        for (int i = 0; i < 10 * MOST_SECONDS && !Files.exists(file); i++) {
            Thread.sleep(100);
        }
    }
}
