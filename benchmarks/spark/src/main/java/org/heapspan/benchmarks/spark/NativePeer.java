package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.benchmarks.Repository;

/** How a job is run that there is in Scala, too: with Spark's RDDs or libraries, or as a native program. */
enum NativePeer implements Contender {
    /** Spark as its tuning guide recommends. */
    RDD_KRYO("Scala, Kryo", Map.of("spark.serializer", "org.apache.spark.serializer.KryoSerializer")),

    /** The same RDDs with the plug-in. */
    RDD_HEAPSPAN("Scala, Heapspan", Map.of("spark.plugins", "org.heapspan.spark.HeapspanPlugin")),

    /** DataFrames, GraphX or MLlib. */
    LIBRARY(
            "DataFrames, GraphX or MLlib",
            Map.of(
                    "spark.serializer",
                    "org.apache.spark.serializer.KryoSerializer",
                    "spark.benchmark.library",
                    "true")),

    /** A native program, without the plug-in, with the options that {@code heapspan native run} gives the JVMs. */
    NATIVE("native", nativeConfiguration(programs(), false, false)),

    /** The same programs without fused operators and without batches of many elements: strawman A of the paper on Chukonu (section 6.3). */
    NATIVE_BY_ELEMENT("native, by element", nativeConfiguration(programsByElement(), false, false)),

    /** Batches in the Java heap, which are copied to and fro, and lines that Spark reads: strawman B. */
    NATIVE_ON_HEAP("native, on the heap", nativeConfiguration(programs(), false, true)),

    /** {@link #RDD_KRYO} with an executor that is killed in the last run. */
    RDD_KRYO_KILLED(
            "Scala, Kryo",
            Map.of("spark.serializer", "org.apache.spark.serializer.KryoSerializer", NativePeer.KILLS, "true")),

    /** {@link #NATIVE} with an executor that is killed in the last run. */
    NATIVE_KILLED("native", nativeConfiguration(programs(), true, false));

    /** Says to the application that it kills an executor in the middle of its last run. */
    private static final String KILLS = "spark.benchmark.kill";

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // Map.of makes what cannot be changed.
    private final Map<String, String> configuration;

    NativePeer(String title, Map<String, String> configuration) {
        this.title = title;
        this.configuration = configuration;
    }

    private static Map<String, String> nativeConfiguration(Path programs, boolean kills, boolean onHeap) {
        return Map.of(
                "spark.benchmark.native",
                programs.toString(),
                "spark.executor.defaultJavaOptions",
                "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.2",
                KILLS,
                String.valueOf(kills),
                "spark.benchmark.native.onHeap",
                String.valueOf(onHeap));
    }

    /** Those that run as users run them, and without failures. */
    static NativePeer[] ordinary() {
        return new NativePeer[] {RDD_KRYO, RDD_HEAPSPAN, LIBRARY, NATIVE};
    }

    /** The folder of the programs that are compiled for {@link #NATIVE_BY_ELEMENT}. */
    static Path programsByElement() {
        return programs().resolve("by-element");
    }

    /** The folder of the compiled programs. */
    static Path programs() {
        return Repository.root().resolve("build/native-programs");
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Map<String, String> configuration(Path folder, int heapMegabytes) {
        return new TreeMap<>(configuration);
    }
}
