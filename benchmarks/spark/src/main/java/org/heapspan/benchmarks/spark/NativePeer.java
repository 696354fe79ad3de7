package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.benchmarks.Repository;

/** How a job is run that there is in Scala, too: with Spark's RDDs or libraries, or as a native program. */
enum NativePeer implements Contender {
    /** Spark as its tuning guide recommends. */
    RDD_KRYO("Scala, Kryo", kryo()),

    /** The same RDDs with the plug-in. */
    RDD_HEAPSPAN("Scala, Heapspan", Map.of("spark.plugins", "org.heapspan.spark.HeapspanPlugin")),

    /** DataFrames, GraphX or MLlib. */
    LIBRARY("DataFrames, GraphX or MLlib", kryo("spark.benchmark.library", "true")),

    /** A native program, without the plug-in, with the options that {@code heapspan native run} gives the JVMs. */
    NATIVE("native", ours(programs())),

    /** The same programs without fused operators and without batches of many elements: strawman A of the paper on Chukonu (section 6.3). */
    NATIVE_BY_ELEMENT("native, by element", ours(programsByElement())),

    /** Batches in the Java heap, which are copied to and fro, and lines that Spark reads: strawman B. */
    NATIVE_ON_HEAP("native, on the heap", ours(programs(), "spark.benchmark.native.onHeap", "true")),

    /** {@link #RDD_KRYO} with an executor that is killed in the last run. */
    RDD_KRYO_KILLED("Scala, Kryo", kryo("spark.benchmark.kill", "true")),

    /** {@link #NATIVE} with an executor that is killed in the last run. */
    NATIVE_KILLED("native", ours(programs(), "spark.benchmark.kill", "true")),

    /** {@link #RDD_KRYO} with an executor that is slow in the last run. */
    RDD_KRYO_SLOWED("Scala, Kryo", kryo(slowed())),

    /** {@link #NATIVE} with an executor that is slow in the last run. */
    NATIVE_SLOWED("native", ours(programs(), slowed())),

    /** Thrill, which needs no Spark: an application on a single JVM starts its programs. There are some of the jobs only. */
    THRILL("Thrill", separate(thrillPrograms())),

    /** A process of one thread that has nothing of Spark, Heapspan or another framework: what the work itself takes. Started like {@link #THRILL}. */
    PLAIN("plain C++", separate(plainPrograms()));

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // Map.copyOf makes what cannot be changed.
    private final Map<String, String> configuration;

    NativePeer(String title, Map<String, String> configuration) {
        this.title = title;
        this.configuration = Map.copyOf(configuration);
    }

    private static Map<String, String> separate(Path programs) {
        return Map.of("spark.benchmark.separate", programs.toString(), "spark.master", "local[1]");
    }

    private static Map<String, String> kryo(String... further) {
        return with(new TreeMap<>(Map.of("spark.serializer", "org.apache.spark.serializer.KryoSerializer")), further);
    }

    private static Map<String, String> ours(Path programs, String... further) {
        Map<String, String> configuration = new TreeMap<>(Map.of(
                "spark.benchmark.native",
                programs.toString(),
                "spark.executor.defaultJavaOptions",
                "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.2"
                        + " -XX:+NeverActAsServerClassMachine -XX:MaxNewSize=48m"));
        return with(configuration, further);
    }

    /** An executor is slow. Spark copies slow tasks as it did by default before version 4, since its defaults now are for stages of many tasks. */
    private static String[] slowed() {
        return new String[] {
            "spark.benchmark.slow",
            "true",
            "spark.speculation",
            "true",
            "spark.speculation.multiplier",
            "1.5",
            "spark.speculation.quantile",
            "0.75"
        };
    }

    private static Map<String, String> with(Map<String, String> configuration, String... further) {
        for (int i = 0; i < further.length; i += 2) {
            configuration.put(further[i], further[i + 1]);
        }
        return configuration;
    }

    /** Whether there is a program of a job for it. */
    boolean does(NativeJob job) {
        return switch (this) {
            case THRILL -> job.isForThrill();
            case PLAIN -> job.isForPlain();
            default -> true;
        };
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

    /** The folder of the programs for {@link #THRILL}. */
    static Path thrillPrograms() {
        return Repository.root().resolve("build/thrill/programs");
    }

    /** The folder of the programs for {@link #PLAIN}. */
    static Path plainPrograms() {
        return Repository.root().resolve("build/plain-programs");
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Map<String, String> configuration(Path folder, int heapMegabytes) {
        return new TreeMap<>(configuration);
    }

    @Override
    public boolean hasTwoHosts() {
        return this == RDD_KRYO_SLOWED || this == NATIVE_SLOWED;
    }
}
