package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.BroadcastBlockId;
import scala.Option;

/**
 * Lets three executors of one host read broadcasts, kills one of them, and looks at the files that they share: {@code results folder megabytes},
 * where the last broadcast has so many megabytes.
 */
public final class SharedBroadcastApplication {
    public static final int EXECUTORS = 3;

    private static final int BLOCK_BYTES = 64 << 10;
    private static final int VALUES_IN_MEGABYTE = 1 << 13;
    private static final int MOST_SECONDS = 120;

    private final JavaSparkContext context;
    private final Results results;
    private final Path folder;

    private SharedBroadcastApplication(JavaSparkContext context, Results results, Path folder) {
        this.context = context;
        this.results = results;
        this.folder = folder;
    }

    /**
     * What a task has seen.
     *
     * @param executor where it ran
     * @param pid of the JVM
     * @param right whether the value was right
     * @param pieces how many blocks of the broadcast that JVM keeps
     */
    private record Seen(String executor, long pid, boolean right, int pieces) implements java.io.Serializable {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        SparkConf conf = new SparkConf().set("spark.broadcast.blockSize", BLOCK_BYTES + "b");
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            new SharedBroadcastApplication(context, results, Path.of(arguments[1])).run(Integer.parseInt(arguments[2]));
        }
        results.write(arguments[0]);
    }

    private void run(int lastMegabytes) throws Exception {
        awaitExecutors();
        Broadcast<List<long[]>> first = context.broadcast(values(1, 2));
        List<Seen> seen = read(first, 1, 2);
        put("first", seen);
        results.put("only file is the broadcast", names().equals(Set.of(String.valueOf(first.id()))));
        results.put("permissions", permissions());

        Broadcast<List<long[]>> killed = context.broadcast(values(2, 2));
        CompletableFuture<Boolean> kill = killFetcher(seen, killed.id());
        put("after a kill", read(killed, 2, 2));
        results.put("killed", kill.get());
        put("read again", read(first, 1, 2));
        awaitExecutors();
        put("all again", read(first, 1, 2));

        first.unpersist(true);
        killed.unpersist(true);
        results.put("removed", await(() -> names().isEmpty()));
        put("after removal", read(killed, 2, 2));
        first.destroy();
        killed.destroy();

        Broadcast<List<long[]>> last = context.broadcast(values(3, lastMegabytes));
        put("last", read(last, 3, lastMegabytes));
    }

    /** Kills the executor that fetches a broadcast, when its unfinished file is there. Until then nobody gets one of the blocks from the driver. */
    private CompletableFuture<Boolean> killFetcher(List<Seen> executors, long broadcast) {
        String prefix = broadcast + ".new-";
        BlockInfoManager locks = SparkEnv.get().blockManager().blockInfoManager();
        BlockId heldBack = new BroadcastBlockId(broadcast, "piece0");
        if (locks.lockForWriting(heldBack, true).isEmpty()) {
            throw new IllegalStateException("the driver does not have " + heldBack);
        }
        return CompletableFuture.supplyAsync(() -> {
            try {
                return await(() -> {
                    for (String name : names()) {
                        if (name.startsWith(prefix)) {
                            kill(executors, name.substring(prefix.length()));
                            return true;
                        }
                    }
                    return false;
                });
            } finally {
                locks.unlock(heldBack, Option.empty());
            }
        });
    }

    private static void kill(List<Seen> executors, String executor) {
        for (Seen each : executors) {
            if (each.executor().equals(executor)) {
                ProcessHandle.of(each.pid()).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    private static List<long[]> values(long seed, int megabytes) {
        Random random = new Random(seed);
        List<long[]> values = new ArrayList<>();
        for (int i = 0; i < megabytes * VALUES_IN_MEGABYTE; i++) {
            values.add(random.longs(16).toArray());
        }
        return values;
    }

    private static long sum(List<long[]> values) {
        long sum = 0;
        for (long[] each : values) {
            for (long number : each) {
                sum = 31 * sum + number;
            }
        }
        return sum;
    }

    /** One task on each executor, all at the same time. */
    private List<Seen> read(Broadcast<List<long[]>> broadcast, long seed, int megabytes) {
        long expected = sum(values(seed, megabytes));
        return context.parallelize(List.of(1, 2, 3), EXECUTORS)
                .map(any -> {
                    boolean right = sum(broadcast.value()) == expected;
                    Thread.sleep(1_000); // so that no executor does it all
                    return new Seen(
                            SparkEnv.get().executorId(), ProcessHandle.current().pid(), right, pieces(broadcast.id()));
                })
                .collect();
    }

    private static int pieces(long broadcast) {
        int count = 0;
        while (SparkEnv.get()
                .blockManager()
                .blockInfoManager()
                .get(new BroadcastBlockId(broadcast, "piece" + count))
                .isDefined()) {
            count++;
        }
        return count;
    }

    private void put(String name, List<Seen> seen) {
        results.put(name + ", right", seen.stream().filter(Seen::right).count());
        results.put(
                name + ", executors",
                seen.stream().map(Seen::executor).distinct().count());
        results.put(
                name + ", executors with blocks",
                seen.stream()
                        .filter(each -> each.pieces() > 0)
                        .map(Seen::executor)
                        .distinct()
                        .count());
    }

    private void awaitExecutors() {
        results.put(
                "executors",
                await(() -> context.sc().statusTracker().getExecutorInfos().length == EXECUTORS + 1
                        && filesOf("executor-").size() >= EXECUTORS));
    }

    /** The names of files of broadcasts. */
    private Set<String> names() {
        Set<String> names = filesOf("");
        names.removeIf(name -> name.startsWith("executor-"));
        return names;
    }

    private Set<String> filesOf(String prefix) {
        try {
            return LocalFiles.below(folder).stream()
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<String> permissions() throws IOException {
        Set<String> permissions = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(file -> !file.equals(folder)).toList()) {
                permissions.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        }
        return permissions;
    }

    private static boolean await(BooleanSupplier condition) {
        try {
            for (int i = 0; i < 100 * MOST_SECONDS; i++) {
                if (condition.getAsBoolean()) {
                    return true;
                }
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
