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

    /** A native program, without the plug-in. */
    NATIVE("native", Map.of("spark.benchmark.native", programs().toString()));

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // Map.of makes what cannot be changed.
    private final Map<String, String> configuration;

    NativePeer(String title, Map<String, String> configuration) {
        this.title = title;
        this.configuration = configuration;
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
