package org.heapspan.tests.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.tests.conformance.Samples;

/**
 * A process of {@link MutationFuzz}: which routes, in which JVM.
 *
 * <p>The direct engine trusts raw images without checksum, so that mutated ones are for the portable engine only. Those with
 * checksums must never get as far as the heap, which HotSpot verifies.
 *
 * @param name for reports
 * @param options of the JVM
 * @param routes names of codecs
 */
public record MutationRun(String name, List<String> options, List<String> routes) {
    /** All processes; they share the inputs evenly. */
    public static List<MutationRun> all() {
        return List.of(
                new MutationRun(
                        "compact",
                        List.of("-Xmx256m"),
                        present("heapspan:unchecked", "heapspan:bytes", "heapspan:objects", "heapspan:group")),
                new MutationRun(
                        "raw, portable engine",
                        List.of("-Xmx256m", "-Dheapspan.direct=false"),
                        present("heapspan:raw-unchecked", "heapspan:raw-group")),
                new MutationRun(
                        "raw with checksums, direct engine",
                        List.of(
                                "-Xmx256m",
                                "-XX:+UnlockDiagnosticVMOptions",
                                "-XX:+VerifyBeforeGC",
                                "-XX:+VerifyAfterGC"),
                        present("heapspan:raw", "heapspan:raw-group", "heapspan:raw-stream")));
    }

    private static List<String> present(String... routes) {
        List<String> all = new ArrayList<>();
        for (String each : routes) {
            if (Samples.isPresent(each)) {
                all.add(each);
            }
        }
        return all;
    }

    /** Arguments of {@link MutationFuzz}. */
    public List<String> arguments(long seed, long inputs, long seconds) {
        List<String> all = new ArrayList<>(List.of(Long.toString(seed), Long.toString(inputs), Long.toString(seconds)));
        all.addAll(routes);
        return all;
    }
}
