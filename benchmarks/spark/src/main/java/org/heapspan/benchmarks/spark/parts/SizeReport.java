package org.heapspan.benchmarks.spark.parts;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.util.SizeEstimator;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.spark.SparkNote;
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

    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/decisions/0013-size-estimator.md",
            "sizes",
            "sizes",
            (figures, folder) ->
                    new Rendered(FigureFile.read(figures, SizeFigures.class).table(), List.of()));

    private static final String HELP = """
            Measures estimates of Spark's SizeEstimator, as it is and when it asks Heapspan.

              --most=1000000        records that an object reaches
              --render              measure nothing, write the table again
              --publish             also into docs/decisions/0013-size-estimator.md

            Figures go to build/bench/sizes.json, the table to build/bench/sizes.md.
            """;

    private int most = 1_000_000;
    private final PublishOptions output = new PublishOptions();

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

    private SizeReport() {}

    /** Measures and writes the table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        SizeReport report = new SizeReport();
        Arguments.read(arguments, HELP, report::takes);
        report.output.run(PUBLICATION, () -> report.measure(arguments));
    }

    private boolean takes(String name, String value) {
        if (name.equals("--most")) {
            most = Integer.parseInt(value);
            return true;
        }
        return output.takes(name);
    }

    private SizeFigures measure(String[] arguments) throws IOException, ReflectiveOperationException {
        SizeFigures figures = new SizeFigures();
        figures.run = SparkNote.beginIn("bench sizes", arguments, List.of(Jdk.current()), "local");
        SparkConf conf = new SparkConf(false)
                .setMaster("local[1]")
                .setAppName("sizes")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.plugins", "org.heapspan.spark.HeapspanPlugin");
        SparkContext context = new SparkContext(conf);
        try {
            // Where the plug-in has put what is asked; see decision 0013.
            Field function =
                    Class.forName("org.apache.spark.util.SizeEstimator$").getField("heapspan$function");
            Object heapspan = function.get(null);
            for (Kind kind : KINDS) {
                for (int count = 1; count <= most; count *= 10) {
                    SizeFigures.Line line = line(kind, count, function, heapspan);
                    figures.all.add(line);
                    System.out.println(line);
                }
            }
        } finally {
            context.stop();
        }
        figures.run.end();
        return figures;
    }

    private static SizeFigures.Line line(Kind kind, int count, Field function, Object heapspan)
            throws IllegalAccessException {
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
        SizeFigures.Line line = new SizeFigures.Line();
        line.object = kind.name();
        line.records = count;
        line.sparkNanos = again[0];
        line.heapspanNanos = again[1];
        line.sparkFirstNanos = first[0];
        line.heapspanFirstNanos = first[1];
        return line;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
