package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.io.ZStdCompressionCodec;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.RDDBlockId;
import scala.Option;
import scala.Product;
import scala.Tuple11;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs native programs, and jobs of RDDs of Java that are to give the same: {@code results checks.so boundary.so folder}. The folder has
 * {@code text.txt} and {@code links.txt}. One more argument says what happens instead, such as {@code crash}, or {@code chains=25} with the program
 * {@code chains.so} in the folder.
 */
public final class NativeProgramApplication {
    private static final String DELIMITER = "textinputformat.record.delimiter";
    private static final int ITERATIONS = 3;
    private static final int TASKS = 16;
    private static final int GROUPED = 1_000_000;
    private static final int MOST_LOOKS = 50;

    /** Chains of operators that one program runs. */
    private static final int CHAINS = 12;

    /** More than a batch without contents takes. */
    private static final int NO_TABLE_BYTES = 1000;

    /** Rows of a table that take a second. */
    private static final int FLIGHTS = 30_000;

    private NativeProgramApplication() {}

    /** What the tasks of native programs were called and did. */
    private static final class Stages extends SparkListener {
        private final List<String> names = new ArrayList<>();
        private final Set<Integer> tableRdds = new HashSet<>();
        private final Set<BlockId> keptTables = new HashSet<>();
        private long spilledBytes;
        private int lostExecutors;

        @Override
        public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved event) {
            lostExecutors++;
        }

        synchronized int lostExecutors() {
            return lostExecutors;
        }

        @Override
        public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
            names.add(event.stageInfo().name());
        }

        @Override
        public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
            CollectionConverters.asJava(event.stageInfo().rddInfos()).stream()
                    .filter(rdd -> "join table".equals(rdd.name()))
                    .forEach(rdd -> tableRdds.add(rdd.id()));
        }

        @Override
        public synchronized void onBlockUpdated(SparkListenerBlockUpdated event) {
            BlockUpdatedInfo block = event.blockUpdatedInfo();
            if (block.blockId() instanceof RDDBlockId partition
                    && tableRdds.contains(partition.rddId())
                    && block.memSize() > NO_TABLE_BYTES) {
                keptTables.add(partition);
            }
        }

        /** The partitions whose hash table for joins was kept in memory. */
        synchronized int keptTables() {
            return keptTables.size();
        }

        @Override
        public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
            spilledBytes +=
                    event.taskMetrics() == null ? 0 : event.taskMetrics().memoryBytesSpilled();
        }

        synchronized boolean has(String name) {
            return names.contains(name);
        }

        synchronized long spilledBytes() {
            return spilledBytes;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        String checks = arguments[1];
        Path folder = Path.of(arguments[3]);
        String text = folder.resolve("text.txt").toString();
        String links = folder.resolve("links.txt").toString();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Stages stages = new Stages();
            context.sc().addSparkListener(stages);
            if (arguments.length == 5) {
                if (arguments[4].equals("flights")) {
                    results.put("flights", delays(context, checks, folder + "/flights.parquet", folder));
                } else if (arguments[4].startsWith("chains=")) {
                    drawChains(context, results, folder, Integer.parseInt(arguments[4].substring("chains=".length())));
                } else if (arguments[4].equals("crash")) {
                    withCrashes(context, stages, results, checks, text, folder);
                } else {
                    new NativeTroubles(context, results, checks, folder).run(arguments[4]);
                }
                results.write(arguments[0]);
                return;
            }

            run(context, arguments[2], "lines", text, folder + "/lines", "5");
            results.put(
                    "lines", same(sorted(context.textFile(text).collect()), sorted(lines(folder.resolve("lines")))));

            // Hadoop has written checksums beside these.
            run(context, arguments[2], "lines", folder + "/lines", folder + "/copied", "5");
            results.put(
                    "checked", same(sorted(context.textFile(text).collect()), sorted(lines(folder.resolve("copied")))));
            context.hadoopConfiguration().set(DELIMITER, ";");
            results.put("other records", failure(context, arguments[2], "lines", text, folder + "/records", "5"));
            context.hadoopConfiguration().unset(DELIMITER);

            String packed = pack(context, Path.of(text), folder.resolve("packed"));
            run(context, arguments[2], "lines", packed, folder + "/unpacked", "5");
            List<String> once = context.textFile(text).collect();
            List<String> twice = new ArrayList<>(once);
            twice.addAll(once);
            results.put("packed", same(sorted(twice), sorted(lines(folder.resolve("unpacked")))));

            run(context, checks, "words", text, folder + "/words");
            results.put("words", same(words(context, text), lines(folder.resolve("words"))));

            results.put("words of an RDD", same(words(context, text), sameWords(context, checks, text)));

            exchangeValues(context, results, checks);
            copyTable(context, results, checks, folder);

            run(context, checks, "ranks", links, folder + "/ranks", String.valueOf(ITERATIONS));
            results.put(
                    "ranks", nearlySame(ranks(context, links, ITERATIONS), numbers(lines(folder.resolve("ranks")))));
            ShuffleTotals.awaitListeners(context);
            results.put("kept tables", stages.keptTables());

            run(context, checks, "shared", text, folder + "/shared");
            results.put("shared", String.join("; ", lines(folder.resolve("shared"))));
            long sum = context.textFile(text)
                    .map(line -> line.getBytes(StandardCharsets.UTF_8).length + 200_003L)
                    .reduce(Long::sum);
            results.put("expected sum", "sum " + sum + " " + 2 * sum);
            results.put("expected lines", "seen " + 3 * context.textFile(text).count());

            results.put("broadcasts that are not used", unusedBroadcasts(context, checks, folder));

            long before = stages.spilledBytes();
            run(context, checks, "groups", String.valueOf(GROUPED), folder + "/groups");
            ShuffleTotals.awaitListeners(context);
            results.put("spilled", stages.spilledBytes() > before);
            results.put("groups", same(groups(), lines(folder.resolve("groups"))));

            new NativeTroubles(context, results, checks, folder).run("cancel");

            run(context, checks, "deep", "90", folder + "/deep");
            results.put("deep", lines(folder.resolve("deep")));
            results.put("too deep", failure(context, checks, "deep", "120", folder + "/deeper"));

            results.put("failure", failure(context, checks, "fail", text));
            results.put("missing", failure(context, checks, "words", folder + "/nothing", folder + "/no"));
            results.put("no program", failure(context, folder + "/nothing.so"));
            results.put("there already", failure(context, checks, "words", text, folder + "/words"));
            results.put(
                    "stages",
                    stages.has("text_file, flat_map, map_to_pair, reduce_by_key at "
                            + Path.of(checks).getFileName()));
            // The next stage in each executor frees what Spark has dropped.
            run(context, arguments[2], "lines", text, folder + "/more", "5");
            results.put("little memory left", openBytes(context) < 1 << 20);
        }
        results.write(arguments[0]);
    }

    /** The most that an executor has decoded of broadcasts that are destroyed or not used any more. Spark removes them some time later. */
    private static long unusedBroadcasts(JavaSparkContext context, String checks, Path folder) throws Exception {
        run(context, checks, "broadcasts");
        long most = Long.MAX_VALUE;
        for (int i = 0; most > 0 && i < MOST_LOOKS; i++) {
            // Spark looks for broadcasts that nothing refers to when the collector has found them.
            System.gc();
            Path decoded = folder.resolve("decoded-" + i);
            run(context, checks, "decoded", decoded.toString());
            most = lines(decoded).stream().mapToLong(Long::parseLong).max().orElseThrow();
        }
        return most;
    }

    /** Chains of operators, so many at a time in one job; their program is beside the others. */
    private static void drawChains(JavaSparkContext context, Results results, Path folder, int programs)
            throws Exception {
        NativeChains chains =
                new NativeChains(context, folder.resolve("chains.so").toString());
        Map<String, Integer> operators = new TreeMap<>();
        List<String> differing = new ArrayList<>();
        for (int i = 0; i < programs; i++) {
            differing.addAll(chains.differing(1 + i * CHAINS, CHAINS, operators));
        }
        results.put("chains that differ", differing);
        results.put("operators of chains", operators);
    }

    /** A kernel crashes in each attempt. */
    private static void withCrashes(
            JavaSparkContext context, Stages stages, Results results, String checks, String text, Path folder)
            throws Exception {
        for (String where : List.of("map", "reduce")) {
            int before = stages.lostExecutors();
            results.put(where, failure(context, checks, "crash", where, text));
            ShuffleTotals.awaitListeners(context);
            results.put("lost in " + where, stages.lostExecutors() - before);
        }
        run(context, checks, "words", text, folder + "/words");
        results.put("words", same(words(context, text), lines(folder.resolve("words"))));
    }

    /** By name, as this module does not have the classes. */
    static void run(JavaSparkContext context, String program, String... arguments) throws Exception {
        try {
            Class.forName("org.heapspan.spark.nativerdd.NativePrograms")
                    .getMethod("run", SparkContext.class, Path.class, String[].class)
                    .invoke(null, context.sc(), Path.of(program), arguments);
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    /** The words again, with lines of an RDD of this application, and an RDD as the result. */
    private static List<String> sameWords(JavaSparkContext context, String checks, String text) throws Exception {
        JavaRDD<String> lines = context.textFile(text).filter(line -> true);
        Object outputs = run(context, checks, Map.of("in", lines.rdd()), "words", "rdd:in", "rdd:out");
        @SuppressWarnings("unchecked") // That is what it has.
        RDD<String> counted = (RDD<String>) result(outputs, "out");
        return counted.toJavaRDD().collect();
    }

    static Object run(JavaSparkContext context, String program, Map<String, ?> inputs, String... arguments)
            throws Exception {
        try {
            return Class.forName("org.heapspan.spark.nativerdd.NativePrograms")
                    .getMethod("run", SparkContext.class, Path.class, Map.class, String[].class)
                    .invoke(null, context.sc(), Path.of(program), inputs, arguments);
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    static RDD<?> result(Object results, String name) throws Exception {
        return (RDD<?>) results.getClass().getMethod("get", String.class).invoke(results, name);
    }

    /** Values of all types go into a program and come back. */
    private static void exchangeValues(JavaSparkContext context, Results results, String checks) throws Exception {
        List<Object> rows = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Option<String> name = i % 3 == 0 ? Option.empty() : Option.apply("é" + i);
            rows.add(new Tuple11<>(
                    i % 2 == 0,
                    (byte) i,
                    (short) -i,
                    i,
                    i * 10_000_000_000L,
                    i / 2f,
                    i / 3.0,
                    "x".repeat(i % 7),
                    new byte[] {(byte) i, 1},
                    new double[] {i, -i},
                    name));
            numbers.add((long) i);
        }
        JavaPairRDD<String, Long> pairs =
                context.parallelize(numbers, 3).mapToPair(number -> new Tuple2<>("key" + number % 2, number));
        Map<String, Object> inputs = Map.of(
                "rows", context.parallelize(rows, 3).rdd(), "numbers", session().range(0, 1000, 1, 3), "pairs", pairs);
        Object outputs = run(context, checks, inputs, "values");
        results.put(
                "rows",
                same(texts(rows), texts(result(outputs, "rows").toJavaRDD().collect())));
        results.put(
                "numbers",
                Arrays.equals(numbers.stream().mapToLong(each -> each + 1).toArray(), (long[])
                        result(outputs, "numbers").collect()));
        results.put("sums", sorted(texts(result(outputs, "sums").toJavaRDD().collect())));
        results.put("called", sorted(texts(call(checks, "sum_by_key", pairs, "3"))));
        Map<String, Object> wrong = Map.of(
                "rows", context.parallelize(numbers), "numbers", context.parallelize(List.of("one")), "pairs", pairs);
        try {
            result(run(context, checks, wrong, "values"), "numbers").collect();
        } catch (SparkException e) {
            results.put("wrong values", e.getMessage().lines().findFirst().orElse(""));
        }
    }

    /** As {@code heapspan.native(program).call(name, input, arguments)} in Scala. */
    private static List<?> call(String program, String name, Object input, String... arguments) throws Exception {
        Object opened = Class.forName("org.heapspan.spark.heapspan")
                .getMethod("native", String.class)
                .invoke(null, program);
        RDD<?> result = (RDD<?>) opened.getClass()
                .getMethod("call", String.class, Object.class, String[].class)
                .invoke(opened, name, input, arguments);
        return result.toJavaRDD().collect();
    }

    private static SparkSession session() {
        return SparkSession.builder().getOrCreate();
    }

    /** A program reads a table that Spark has written, and Spark reads what the program has written. */
    private static void copyTable(JavaSparkContext context, Results results, String checks, Path folder)
            throws Exception {
        String table = folder + "/table";
        session()
                .range(0, 20_000, 1, 3)
                .selectExpr(
                        "id",
                        "array(id, -id) as list",
                        "if(id % 5 = 0, null, id / 3.0D) as ratio",
                        "cast(id % 7 as smallint) as small",
                        "date_add(date'1970-01-01', cast(id % 1000 as int)) as day",
                        "concat('é', id % 100) as name")
                .write()
                .parquet(table);
        String copied = failure(context, checks, "table", table, folder + "/copy");
        results.put(
                "table",
                copied.equals("none")
                        ? same(
                                rows(
                                        table,
                                        "name",
                                        "ratio",
                                        "datediff(day, date'1970-01-01')",
                                        "cast(small as bigint)",
                                        "list"),
                                rows(folder + "/copy", "name", "ratio", "day", "small", "list"))
                        : copied);
        results.put("no table", failure(context, checks, "table", folder + "/nothing", folder + "/no"));
        results.put("table there already", failure(context, checks, "table", table, folder + "/copy"));
        if (Files.exists(folder.resolve("flights.parquet"))) {
            session()
                    .read()
                    .parquet(folder + "/flights.parquet")
                    .limit(FLIGHTS)
                    .write()
                    .parquet(folder + "/flights");
            results.put("flights", delays(context, checks, folder + "/flights", folder));
        }
        session().range(3).write().parquet(folder + "/other");
        results.put("other table", failure(context, checks, "table", folder + "/other", folder + "/no"));
    }

    /** What the program finds in a table of flights, compared with what Spark does. */
    private static String delays(JavaSparkContext context, String checks, String flights, Path folder)
            throws Exception {
        run(context, checks, "delays", flights, folder + "/delays");
        List<String> expected = session()
                .read()
                .parquet(flights)
                .groupBy("origin")
                .agg(functions.sum("delay"), functions.sum("distance"))
                .orderBy("origin")
                .collectAsList()
                .stream()
                .map(row -> "(" + row.get(0) + ",(" + row.get(1) + "," + row.get(2) + "))")
                .toList();
        return expected.isEmpty() ? "no flights" : same(expected, lines(folder.resolve("delays")));
    }

    private static List<String> rows(String table, String... columns) {
        return session().read().parquet(table).where("ratio is not null").selectExpr(columns).collectAsList().stream()
                .map(Row::toString)
                .sorted()
                .toList();
    }

    /** What tuples contain, in a form that shows the contents of arrays. */
    private static List<String> texts(List<?> values) {
        return values.stream()
                .map(value -> CollectionConverters.asJava(((Product) value).productIterator()))
                .map(fields -> {
                    StringBuilder text = new StringBuilder();
                    fields.forEachRemaining(field -> {
                        String whole = Arrays.deepToString(new Object[] {field});
                        text.append(field.getClass().getSimpleName()).append(whole);
                    });
                    return text.toString();
                })
                .toList();
    }

    static String failure(JavaSparkContext context, String program, String... arguments) {
        try {
            run(context, program, arguments);
            return "none";
        } catch (Exception e) {
            // A job that saves says why it failed in the cause.
            StringBuilder messages = new StringBuilder();
            for (Throwable each = e; each != null; each = each.getCause()) {
                messages.append(each.getClass().getSimpleName())
                        .append(": ")
                        .append(each.getMessage())
                        .append("; ");
            }
            return messages.toString();
        }
    }

    static List<String> words(JavaSparkContext context, String text) {
        return context.textFile(text)
                .flatMap(line -> Arrays.stream(line.split("[\\x00-\\x20]+"))
                        .filter(word -> !word.isEmpty())
                        .iterator())
                .mapToPair(word -> new Tuple2<>(word, 1L))
                .reduceByKey(Long::sum)
                .sortByKey()
                .map(Tuple2::toString)
                .collect();
    }

    static Map<String, Double> ranks(JavaSparkContext context, String file, int iterations) {
        JavaPairRDD<String, Iterable<String>> links = context.textFile(file)
                .mapToPair(line ->
                        new Tuple2<>(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)))
                .distinct()
                .groupByKey()
                .cache();
        JavaPairRDD<String, Double> ranks = links.mapValues(targets -> 1.0);
        for (int i = 0; i < iterations; i++) {
            JavaRDD<Tuple2<Iterable<String>, Double>> pairs = links.join(ranks).values();
            ranks = pairs.flatMapToPair(pair -> {
                        List<String> targets = new ArrayList<>();
                        pair._1().forEach(targets::add);
                        return targets.stream()
                                .map(target -> new Tuple2<>(target, pair._2() / targets.size()))
                                .iterator();
                    })
                    .reduceByKey(Double::sum)
                    .mapValues(rank -> 0.15 + 0.85 * rank);
        }
        return new TreeMap<>(ranks.collectAsMap());
    }

    /** For each size of a group, the sum of what is in groups of this size. */
    private static List<String> groups() {
        Map<Integer, List<Long>> byKey = new TreeMap<>();
        for (long i = 0; i < GROUPED; i++) {
            byKey.computeIfAbsent((int) (i * 7919 % (GROUPED / 3 + 1)), key -> new ArrayList<>())
                    .add(i);
        }
        Map<Integer, Long> bySize = new TreeMap<>();
        byKey.values()
                .forEach(group -> bySize.merge(
                        group.size(), group.stream().mapToLong(Long::longValue).sum(), Long::sum));
        return bySize.entrySet().stream()
                .map(each -> "(" + each.getKey() + "," + each.getValue() + ")")
                .toList();
    }

    /** A folder with the file twice, compressed by gzip and by zstd. */
    private static String pack(JavaSparkContext context, Path file, Path folder) throws IOException {
        Files.createDirectories(folder);
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve("text.gz")));
                OutputStream zstd = new ZStdCompressionCodec(context.getConf())
                        .compressedOutputStream(Files.newOutputStream(folder.resolve("text.zst")))) {
            Files.copy(file, gzip);
            Files.copy(file, zstd);
        }
        return folder.toString();
    }

    static List<String> lines(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<String> lines = new ArrayList<>();
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith("part-"))
                    .sorted()
                    .toList()) {
                lines.addAll(Files.readAllLines(file));
            }
            return lines;
        }
    }

    static Map<String, Double> numbers(List<String> pairs) {
        Map<String, Double> numbers = new TreeMap<>();
        for (String pair : pairs) {
            int comma = pair.lastIndexOf(',');
            numbers.put(pair.substring(1, comma), Double.valueOf(pair.substring(comma + 1, pair.length() - 1)));
        }
        return numbers;
    }

    private static List<String> sorted(List<String> lines) {
        return lines.stream().sorted().toList();
    }

    static String same(List<String> expected, List<String> found) {
        if (expected.equals(found)) {
            return "same";
        }
        int at = 0;
        while (at < Math.min(expected.size(), found.size()) && expected.get(at).equals(found.get(at))) {
            at++;
        }
        return expected.size() + " and " + found.size() + " lines, expected " + at(expected, at) + " found "
                + at(found, at);
    }

    private static String at(List<String> lines, int index) {
        return index < lines.size() ? lines.get(index) : "the end";
    }

    static String nearlySame(Map<String, Double> expected, Map<String, Double> found) {
        if (!expected.keySet().equals(found.keySet())) {
            return expected.size() + " and " + found.size() + " pages";
        }
        double most = 0;
        for (Map.Entry<String, Double> each : expected.entrySet()) {
            most = Math.max(most, Math.abs(each.getValue() - found.get(each.getKey())) / each.getValue());
        }
        return most < 1e-9 ? "same" : "differ by " + most;
    }

    /** What batches of native programs hold in the executors. */
    static long openBytes(JavaSparkContext context) {
        List<Integer> tasks = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            tasks.add(i);
        }
        return context.parallelize(tasks, TASKS)
                .map(task -> {
                    Thread.sleep(20);
                    return (Long) Class.forName("org.heapspan.nativerdd.NativeBatch")
                            .getMethod("openBytes")
                            .invoke(null);
                })
                .reduce(Math::max);
    }
}
