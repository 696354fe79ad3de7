package org.heapspan.tests.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * A process of {@link MutationFuzz}: which routes, in which JVM.
 *
 * <p>The direct engine trusts raw images without checksum, so that mutated ones are for the portable engine only. Those with
 * checksums must never get as far as the heap, which HotSpot verifies.
 *
 * @param name for reports
 * @param options of the JVM
 * @param routes names of codecs
 * @param direct whether the direct engine must be on and make objects
 */
public record MutationRun(String name, List<String> options, List<String> routes, boolean direct) {
    /** All processes; they share the inputs evenly. */
    public static List<MutationRun> all() {
        return List.of(
                new MutationRun(
                        "compact",
                        List.of("-Xmx256m", "-Dheapspan.direct=false"),
                        List.of(
                                "heapspan:unchecked",
                                "heapspan:unchecked-stream",
                                "heapspan:unchecked-objects",
                                "heapspan:unchecked-group",
                                "heapspan:inspect",
                                "heapspan:bytes"),
                        false),
                new MutationRun(
                        "raw, portable engine",
                        List.of("-Xmx256m", "-Dheapspan.direct=false"),
                        List.of(
                                "heapspan:raw-unchecked",
                                "heapspan:raw-unchecked-group",
                                "heapspan:second-heap-unchecked"),
                        false),
                new MutationRun(
                        "raw with checksums, direct engine",
                        List.of(
                                "-Xmx256m",
                                "-XX:+UnlockDiagnosticVMOptions",
                                "-XX:+VerifyBeforeGC",
                                "-XX:+VerifyAfterGC",
                                "-XX:VerifySubSet=threads,heap"),
                        List.of("heapspan:raw", "heapspan:raw-group", "heapspan:raw-stream", "heapspan:second-heap"),
                        true));
    }

    /** Arguments of {@link MutationFuzz}. */
    public List<String> arguments(long seed, long inputs) {
        List<String> all =
                new ArrayList<>(List.of(Long.toString(seed), Long.toString(inputs), direct ? "direct" : "portable"));
        all.addAll(routes);
        return all;
    }
}
