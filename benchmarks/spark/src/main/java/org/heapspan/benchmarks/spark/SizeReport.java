package org.heapspan.benchmarks.spark;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.util.SizeEstimator;
import org.jspecify.annotations.Nullable;

/**
 * The program behind {@code ./dev bench sizes}: processor time of one estimate of Spark's {@code SizeEstimator}, as it is and when it asks Heapspan, in turns. "First" is of
 * objects that were never estimated: they have no identity hash yet, which Spark's search asks for.
 */
public final class SizeReport {
    private static final int ROUNDS = 9;

    /** The first rounds are those of JIT compilers. */
    private static final int WARM_UP = 3;

    /** Objects that a round estimates, all together and about. */
    private static final int OBJECTS = 300_000;

    private static final long SEED = 42;

    private final PrintStream out;

    /** Where the plug-in has put what is asked; see decision 0013. */
    private final Field function;

    private final Object heapspan;

    private SizeReport(PrintStream out) throws ReflectiveOperationException {
        this.out = out;
        function = Class.forName("org.apache.spark.util.SizeEstimator$").getField("heapspan$function");
        heapspan = function.get(null);
    }

    private record Edge(int from, int to, long time, String label, double weight) {}

    private record Link(@Nullable Link next, int value) {}

    /** Makes an object that reaches about so many records. */
    private record Kind(String name, IntFunction<Object> maker) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("ArrayList of records", SizeReport::edges),
            new Kind("groups of records", SizeReport::groups),
            new Kind("HashMap", count -> map(new HashMap<>(), count)),
            new Kind("TreeMap", count -> map(new TreeMap<>(), count)),
            new Kind("linked list", SizeReport::links));

    private static List<Edge> edges(int count) {
        List<Edge> edges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            edges.add(new Edge(i, i, i, "edge " + i, i));
        }
        return edges;
    }

    /** By a hundred: none is so long that it is sampled, up to 40,000 records. */
    private static Object groups(int count) {
        Object[] groups = new Object[Math.min(count, 100)];
        Arrays.setAll(groups, any -> edges(count / groups.length).toArray());
        return groups;
    }

    private static Object map(Map<Integer, Object> map, int count) {
        Random random = new Random(SEED);
        for (int i = 0; i < count; i++) {
            map.put(random.nextInt(), "value " + i);
        }
        return map;
    }

    private static Object links(int count) {
        Link last = new Link(null, 0);
        for (int i = 1; i < count; i++) {
            last = new Link(last, i);
        }
        return last;
    }

    /** Writes a table; takes no arguments. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        SparkConf conf = new SparkConf(false)
                .setMaster("local[1]")
                .setAppName("sizes")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.plugins", "org.heapspan.spark.HeapspanPlugin");
        SparkContext context = new SparkContext(conf);
        try {
            new SizeReport(System.out).run();
        } finally {
            context.stop();
        }
    }

    private void run() throws ReflectiveOperationException {
        out.println("| Object | Records | Spark, ns | Heapspan, ns | | Spark, first, ns | Heapspan, first, ns | |");
        out.println("|---|--:|--:|--:|--:|--:|--:|--:|");
        for (Kind kind : KINDS) {
            for (int count = 1; count <= 1_000_000; count *= 10) {
                row(kind, count);
            }
        }
    }

    private void row(Kind kind, int count) throws IllegalAccessException {
        double[] again = {Double.MAX_VALUE, Double.MAX_VALUE};
        double[] first = {Double.MAX_VALUE, Double.MAX_VALUE};
        long[] sizes = new long[2];
        Object[] objects = new Object[Math.max(1, Math.min(1000, OBJECTS / 5 / count))];
        for (int round = 0; round < ROUNDS; round++) {
            for (int who = 0; who < 2; who++) {
                Arrays.setAll(objects, any -> kind.maker().apply(count));
                function.set(null, who == 0 ? null : heapspan);
                long start = cpuNanos();
                for (Object object : objects) {
                    sizes[who] = SizeEstimator.estimate(object);
                }
                double firstNanos = (cpuNanos() - start) / (double) objects.length;
                int times = Math.max(1, Math.min(100_000, OBJECTS / count));
                start = cpuNanos();
                for (int i = 0; i < times; i++) {
                    sizes[who] = SizeEstimator.estimate(objects[0]);
                }
                if (round >= WARM_UP) {
                    first[who] = Math.min(first[who], firstNanos);
                    again[who] = Math.min(again[who], (cpuNanos() - start) / (double) times);
                }
            }
            if (sizes[0] != sizes[1]) {
                throw new IllegalStateException(kind.name() + " of " + count + " is " + sizes[0] + " bytes to Spark, "
                        + sizes[1] + " to Heapspan");
            }
        }
        out.printf(
                Locale.ROOT,
                "| %s | %,d | %,.0f | %,.0f | %.1fx | %,.0f | %,.0f | %.1fx |%n",
                kind.name(),
                count,
                again[0],
                again[1],
                again[0] / again[1],
                first[0],
                first[1],
                first[0] / first[1]);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
