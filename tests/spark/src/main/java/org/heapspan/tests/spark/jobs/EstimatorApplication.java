package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.SizeEstimator;
import scala.Tuple2;

/**
 * Groups and joins edges, which Spark estimates the sizes of, and tells what came out and by whom the sizes were estimated: {@code results edges}.
 */
public final class EstimatorApplication {
    private static final int PARTITIONS = 4;

    private EstimatorApplication() {}

    /** An edge with nine fields. */
    record Edge(
            int from,
            int to,
            long time,
            double weight,
            String kind,
            String label,
            Integer rank,
            List<Integer> tags,
            float share)
            implements Serializable {
        static Edge number(int i, int vertices) {
            int from = (int) (i * 2_654_435_761L % vertices);
            return new Edge(
                    from,
                    i % vertices,
                    i,
                    i / 3.0,
                    "kind-" + i % 5,
                    "edge " + i,
                    i,
                    new ArrayList<>(List.of(i, i + 1)),
                    i);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        int edges = Integer.parseInt(arguments[1]);
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            ShuffleTotals totals = new ShuffleTotals();
            context.sc().addSparkListener(totals);
            List<Integer> slices = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                slices.add(i);
            }
            int vertices = edges / 8;
            JavaRDD<Edge> all = context.parallelize(slices, PARTITIONS).flatMap(slice -> {
                List<Edge> some = new ArrayList<>();
                for (int i = slice; i < edges; i += PARTITIONS) {
                    some.add(Edge.number(i, vertices));
                }
                return some.iterator();
            });
            JavaPairRDD<Integer, Edge> byFrom = all.mapToPair(edge -> new Tuple2<>(edge.from(), edge));
            results.putAll(
                    "groups",
                    byFrom.groupByKey(PARTITIONS)
                            .mapValues(EstimatorApplication::sum)
                            .collect());
            JavaPairRDD<Integer, Edge> byTo =
                    all.filter(edge -> edge.rank() % 4 == 0).mapToPair(edge -> new Tuple2<>(edge.to(), edge));
            results.put(
                    "joined",
                    byFrom.join(byTo, PARTITIONS)
                            .map(pair ->
                                    pair._2()._1().time() * 31 + pair._2()._2().time())
                            .reduce(Long::sum));
            results.put("task CPU seconds", totals.cpuSeconds());
            results.put("estimates", estimates(context));
            results.put("spilled", totals.spilled());
            results.put("spilled bytes", totals.spilledMemoryBytes());
            if (context.sc().uiWebUrl().isDefined()) {
                results.put("parts", TabPage.parts(context.sc().uiWebUrl().get()));
            }
        }
        results.write(arguments[0]);
    }

    private static String sum(Iterable<Edge> edges) {
        long times = 0;
        int count = 0;
        for (Edge edge : edges) {
            times += edge.time();
            count++;
        }
        return count + " " + times;
    }

    /** Who estimates on the executors, and whether the answers are those of Spark's own class. */
    private static Set<String> estimates(JavaSparkContext context) {
        return new TreeSet<>(context.parallelize(List.of(1, 2, 3, 4), 4)
                .map(any -> (isAsked() ? "asked" : "alone") + ", " + differences() + " differ")
                .collect());
    }

    private static boolean isAsked() throws ReflectiveOperationException {
        for (Field field : Class.forName(Untouched.NAME).getDeclaredFields()) {
            if (field.getName().equals("heapspan$function")) {
                return field.get(null) != null;
            }
        }
        return false;
    }

    private static int differences() throws ReflectiveOperationException {
        Class<?> untouched = new Untouched().loadClass(Untouched.NAME);
        Object module = untouched.getField("MODULE$").get(null);
        int differences = 0;
        for (Object object : objects()) {
            Object expected = untouched.getMethod("estimate", Object.class).invoke(module, object);
            if (!expected.equals(SizeEstimator.estimate(object))) {
                differences++;
            }
        }
        return differences;
    }

    private static List<Object> objects() {
        List<Object> objects = new ArrayList<>();
        for (int count : new int[] {1, 100, 400, 401, 5_000}) {
            List<Object> edges = new ArrayList<>();
            TreeMap<Object, Object> map = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                edges.add(Edge.number(i, 100));
                map.put("key " + i, i % 7 == 0 ? edges : new Tuple2<>(i, Event.number(i)));
            }
            objects.add(edges);
            objects.add(map);
            objects.add(edges.toArray());
            objects.add(scala.jdk.javaapi.CollectionConverters.asScala(edges).toVector());
        }
        objects.add(new SparkConf());
        objects.add((Runnable) objects::clear);
        return objects;
    }

    /** Loads Spark's own class once more, as it is in the jar. */
    private static final class Untouched extends ClassLoader {
        static final String NAME = "org.apache.spark.util.SizeEstimator$";

        Untouched() {
            super(SizeEstimator.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("org.apache.spark.util.SizeEstimator")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/').concat(".class"))) {
                byte[] content = in.readAllBytes();
                return defineClass(name, content, 0, content.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
