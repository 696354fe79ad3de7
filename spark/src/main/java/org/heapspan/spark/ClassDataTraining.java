package org.heapspan.spark;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * The application that {@code heapspan spark-submit --share-classes} runs once to create the archive of class data. Its driver loads the classes
 * of a driver, of an executor and of the user's application. The JVM archives them when it ends.
 */
public final class ClassDataTraining {
    private static final Logger LOG = LoggerFactory.getLogger(ClassDataTraining.class);

    private ClassDataTraining() {}

    /**
     * Runs the application.
     *
     * @param arguments a folder for files, then jars; all classes of these jars are loaded
     */
    public static void main(String[] arguments) throws IOException {
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            attempt("records", () -> useRecords(context));
            attempt("tables", () -> useTables(context, Path.of(arguments[0])));
            attempt(
                    "classes of an executor",
                    () -> load(context.parallelize(List.of(0), 1)
                            .flatMap(any -> loadedClasses().iterator())
                            .collect()));
        }
        for (String jar : List.of(arguments).subList(1, arguments.length)) {
            attempt(jar, () -> load(classesIn(jar)));
        }
    }

    /** A part of the training. */
    @FunctionalInterface
    private interface Part {
        void run() throws IOException;
    }

    /** Runs a part. An archive without the classes that only it loads is better than none. */
    private static void attempt(String what, Part part) {
        try {
            part.run();
        } catch (Exception | LinkageError e) {
            LOG.warn("Heapspan: the archive of class data will have fewer classes, because {} failed", what, e);
        }
    }

    private static void useRecords(JavaSparkContext context) {
        JavaRDD<Integer> numbers =
                context.parallelize(IntStream.range(0, 1000).boxed().toList(), 2);
        JavaPairRDD<String, List<Integer>> records =
                numbers.mapToPair(number -> new Tuple2<>("key " + number % 10, List.of(number)));
        JavaPairRDD<String, Iterable<List<Integer>>> groups =
                records.groupByKey(2).persist(StorageLevel.MEMORY_ONLY_SER());
        groups.join(records.distinct()).sortByKey().collect();
        groups.mapValues(group -> 1)
                .reduceByKey(Integer::sum)
                .persist(StorageLevel.DISK_ONLY())
                .count();
        var broadcast = context.broadcast(groups.collectAsMap());
        numbers.map(number -> broadcast.value().size() + number).reduce(Integer::sum);
    }

    private static void useTables(JavaSparkContext context, Path folder) throws IOException {
        SparkSession session = SparkSession.builder().sparkContext(context.sc()).getOrCreate();
        String file =
                Files.createTempDirectory(folder, "table").resolve("table").toString();
        session.range(1000)
                .selectExpr("id", "id % 7 as kind", "string(id) as name")
                .write()
                .option("compression", "none")
                .parquet(file);
        Dataset<Row> table = session.read().parquet(file);
        table.createOrReplaceTempView("numbers");
        session.sql("select a.kind, count(*), sum(a.id), max(b.name) from numbers a join numbers b on a.id = b.id"
                        + " where a.id > 5 group by a.kind order by 1")
                .collectAsList();
    }

    /** The names of the classes that this JVM has loaded, by the JVM's own books. */
    private static List<String> loadedClasses() throws JMException {
        String hierarchy = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmClassHierarchy",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return hierarchy
                .lines()
                .filter(line -> line.indexOf('/') > 0)
                .map(line -> line.substring(line.lastIndexOf('-', line.indexOf('/')) + 1, line.indexOf('/'))
                        .strip())
                .toList();
    }

    private static List<String> classesIn(String jar) throws IOException {
        List<String> names = new ArrayList<>();
        try (JarFile file = new JarFile(new File(jar))) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                String name = entries.nextElement().getName();
                if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("module-info.class")) {
                    names.add(
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'));
                }
            }
        }
        return names;
    }

    private static void load(List<String> names) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        int missing = 0;
        for (String name : names) {
            try {
                // Asking for constructors links the class, which archiving wants, and does not run any code of it.
                int constructors = Class.forName(name, false, loader).getDeclaredConstructors().length;
                LOG.trace("Heapspan: {} has {} constructors", name, constructors);
            } catch (ClassNotFoundException | LinkageError e) {
                // Hidden classes, and those whose libraries are not there.
                missing++;
                LOG.debug("Heapspan: not archived: {}", name, e);
            }
        }
        LOG.info("Heapspan: {} of {} classes are loaded", names.size() - missing, names.size());
    }
}
