package org.heapspan.benchmarks.flink.queries;

import java.nio.file.Path;
import java.util.Locale;
import org.heapspan.benchmarks.flink.Peer;

/**
 * Runs a query several times in a JVM of its own. Prints a line for each time: seconds, megabytes that tasks exchanged, number and hash of the rows
 * of the answer, with tabs between them.
 */
final class QueryRun {
    private QueryRun() {}

    /** Runs; the arguments are a {@link Query}, a {@link Peer}, the folder of the files, how often, megabytes to sort, and object reuse. */
    public static void main(String[] arguments) throws Exception {
        Query query = Query.valueOf(arguments[0]);
        Peer peer = Peer.valueOf(arguments[1]);
        Path folder = Path.of(arguments[2]);
        int rounds = Integer.parseInt(arguments[3]);
        try (QueryCluster cluster =
                new QueryCluster(Integer.parseInt(arguments[4]), Boolean.parseBoolean(arguments[5]))) {
            for (int round = 0; round < rounds; round++) {
                print(cluster.run(query, folder, peer));
            }
        }
    }

    static void print(QueryCluster.Run run) {
        System.out.printf(
                Locale.ROOT,
                "%.3f\t%.3f\t%d\t%d%n",
                run.seconds(),
                run.exchangedBytes() / 1e6,
                run.answer().rows(),
                run.answer().hash());
    }
}
