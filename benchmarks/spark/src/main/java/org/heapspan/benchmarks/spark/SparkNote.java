package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.MachineNote;
import org.heapspan.benchmarks.RunNote;

/** Notes of runs on Spark, which has a Kryo of its own. */
public final class SparkNote {
    private static final String KRYO = "kryo-shaded-";
    private static final String JAR = ".jar";

    private SparkNote() {}

    /**
     * The note of a run that begins now, with two executors.
     *
     * @param program what stands behind {@code ./dev}
     * @param executors what each of the two has
     * @throws IOException if the system does not tell
     */
    static RunNote begin(String program, String[] arguments, List<Jdk> jdks, String executors) throws IOException {
        return beginOn(program, arguments, jdks, "two executors with " + executors);
    }

    /**
     * The same for another number of executors.
     *
     * @param executors how many, and what each has
     */
    static RunNote beginOn(String program, String[] arguments, List<Jdk> jdks, String executors) throws IOException {
        return beginIn(program, arguments, jdks, "local-cluster of " + executors);
    }

    /**
     * The note of a run that begins now.
     *
     * @param program what stands behind {@code ./dev}
     * @param cluster where it runs
     * @throws IOException if the system does not tell
     */
    public static RunNote beginIn(String program, String[] arguments, List<Jdk> jdks, String cluster)
            throws IOException {
        List<String> software = new ArrayList<>(MachineNote.jdks(jdks));
        software.add("Peers: Fory " + MachineNote.fory() + ", Kryo " + kryo() + " (Spark's)");
        software.add("Spark " + System.getProperty("heapspan.spark.version", "of unknown version") + ", " + cluster
                + ", Spark's default settings otherwise");
        return RunNote.beginWith(program, arguments, software);
    }

    private static String kryo() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("heapspan.spark.home"), "jars"))) {
            return jars.map(jar -> jar.getFileName().toString())
                    .filter(name -> name.startsWith(KRYO) && name.endsWith(JAR))
                    .map(name -> name.substring(KRYO.length(), name.length() - JAR.length()))
                    .findFirst()
                    .orElse("of unknown version");
        }
    }
}
