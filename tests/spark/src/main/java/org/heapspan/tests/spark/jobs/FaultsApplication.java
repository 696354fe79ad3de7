package org.heapspan.tests.spark.jobs;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;

/**
 * Runs jobs to which something happens: {@code results folder fault...}, where each fault is one of those below. The result of a job is
 * {@code right}, {@code wrong: ...} or {@code failed: ...}; a job runs without a fault after all others.
 */
public final class FaultsApplication {
    private FaultsApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        Path folder = Path.of(arguments[1]);
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.atWork(context);
            DyingExecutors dying = new DyingExecutors(context, folder);
            DamagedFiles damaged = new DamagedFiles(context, Path.of(System.getenv("SPARK_LOCAL_DIRS")));
            DamagedCache cache = new DamagedCache(context);
            for (String fault : List.of(arguments).subList(2, arguments.length)) {
                results.put(
                        fault,
                        switch (fault) {
                            case "killed in map" -> dying.inMap("KILL");
                            case "killed in shuffle read" -> dying.inShuffleRead("KILL");
                            case "killed in result" -> dying.inResult("KILL");
                            case "crashed" -> dying.inMap("SEGV");
                            case "decommissioned" -> new LeavingExecutors(context).decommissioned();
                            case "bit flipped" -> damaged.flipped();
                            case "file cut off" -> damaged.cutOff();
                            case "cache cut off" -> cache.read(StorageLevel.MEMORY_ONLY());
                            case "cache with a disk cut off" -> cache.read(StorageLevel.MEMORY_AND_DISK());
                            case "cache cut off, read twice at a time" -> cache.readTwiceAtATime();
                            case "file too large" -> new FaultyJob(context).large();
                            case "class missing" -> ExtraClasses.toExecutors(context, ExtraClasses.MISSING);
                            case "class differs" -> ExtraClasses.toExecutors(context, ExtraClasses.DIFFERING);
                            case "class of a result differs" -> ExtraClasses.toDriver(context, ExtraClasses.DIFFERING);
                            default -> throw new IllegalArgumentException("no fault '" + fault + "'");
                        });
            }
            results.put("without a fault", new FaultyJob(context).result());
            dying.awaitReports();
            if (context.sc().uiWebUrl().isDefined()) {
                results.put("alerts", TabPage.alerts(context.sc().uiWebUrl().get()));
            }
        }
        results.write(arguments[0]);
    }
}
