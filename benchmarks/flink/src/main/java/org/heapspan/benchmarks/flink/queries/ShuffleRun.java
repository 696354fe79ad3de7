package org.heapspan.benchmarks.flink.queries;

import java.nio.file.Path;
import org.heapspan.benchmarks.flink.Peer;

/** Runs a {@link Shuffle} several times in a JVM of its own. Prints what {@link QueryRun} prints. */
final class ShuffleRun {
    private ShuffleRun() {}

    /** Runs; the arguments are the name of a shuffle, records in a group, the folder of the files, how often, megabytes to sort, and object reuse. */
    public static void main(String[] arguments) throws Exception {
        Shuffle<?> shuffle = Shuffle.named(arguments[0]);
        int groupSize = Integer.parseInt(arguments[1]);
        Path folder = Path.of(arguments[2]);
        int rounds = Integer.parseInt(arguments[3]);
        try (QueryCluster cluster =
                new QueryCluster(Integer.parseInt(arguments[4]), Boolean.parseBoolean(arguments[5]))) {
            for (int round = 0; round < rounds; round++) {
                QueryRun.print(cluster.run(Peer.HEAPSPAN, environment -> shuffle.on(environment, folder, groupSize)));
            }
        }
    }
}
