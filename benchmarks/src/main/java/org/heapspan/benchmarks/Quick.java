package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;

/**
 * A comparison within minutes, for tuning: {@code Quick media,point heapspan,fory-refs,fory 5 [chunk|single]}.
 *
 * <p>All peers run in one JVM, in turn, round by round, so that a noisy neighbour hits all of them alike. A sample is one
 * pass over the records; printed are the fastest sample and the median of all samples after the warm-up. The figures of the
 * report come from {@link CodecReport}, which gives each peer a JVM of its own.
 */
public final class Quick {
    private static final int WARM_UP_ROUNDS = 4;
    private static final long SLICE_NANOS = 150_000_000;

    private static volatile Object sink;

    /** Peer, its encoded form and its samples. */
    private static final class Run {
        final String name;
        final Subject subject;
        final List<Double> encodeNanos = new ArrayList<>();
        final List<Double> decodeNanos = new ArrayList<>();

        Run(String name, Subject subject) {
            this.name = name;
            this.subject = subject;
        }

        void slice(boolean keep) {
            time(keep ? encodeNanos : null, () -> sink = subject.encode());
            time(keep ? decodeNanos : null, () -> sink = subject.decode());
        }

        private void time(List<Double> samples, Runnable pass) {
            long end = System.nanoTime() + SLICE_NANOS;
            long start;
            do {
                start = System.nanoTime();
                pass.run();
                long nanos = System.nanoTime() - start;
                if (samples != null) {
                    samples.add((double) nanos / subject.recordCount());
                }
            } while (start < end);
        }
    }

    private Quick() {}

    /** Prints a table per data set. Arguments: data sets, peers ({@code all} for all), measured rounds, chunk or single. */
    public static void main(String[] arguments) {
        String sets = arguments.length > 0 ? arguments[0] : "media";
        String peers = arguments.length > 1 ? arguments[1] : "all";
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        Call call = arguments.length > 3 ? Call.valueOf(arguments[3].toUpperCase(Locale.ROOT)) : Call.CHUNK;
        List<String> peerNames = peers.equals("all") ? Peers.names() : Arrays.asList(peers.split(",", -1));
        for (String set : Arrays.asList(sets.split(",", -1))) {
            compare(DataSets.named(set), peerNames, rounds, call);
        }
    }

    private static void compare(DataSet set, List<String> peers, int rounds, Call call) {
        System.out.printf("%n%s, %s%n", set.title(), call == Call.CHUNK ? "per chunk" : "one record per call");
        System.out.printf(
                "%-18s %10s %10s %10s %10s %10s %10s%n",
                "ns per record", "enc min", "enc med", "dec min", "dec med", "sum min", "bytes");
        List<Run> runs = new ArrayList<>();
        for (String name : peers) {
            if (!Peers.jvmOptions(name).isEmpty()) {
                System.out.printf("%-18s needs a JVM of its own, with %s%n", name, Peers.jvmOptions(name));
                continue;
            }
            Object[] records = set.records();
            try {
                Peer peer = Peers.create(name, set);
                Subject subject = Subject.of(peer, records, call);
                Verdict verdict = Verdict.of(set, records, subject);
                if (verdict.correct()) {
                    runs.add(new Run(name, subject));
                } else {
                    System.out.printf("%-18s %s%n", name, verdict);
                }
            } catch (RuntimeException | StackOverflowError e) {
                System.out.printf("%-18s %s%n", name, Verdict.failure(e));
            }
        }
        System.gc();
        for (int round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
            for (Run run : runs) {
                run.slice(round >= WARM_UP_ROUNDS);
            }
        }
        for (Run run : runs) {
            double encode = minimum(run.encodeNanos);
            double decode = minimum(run.decodeNanos);
            System.out.printf(
                    Locale.ROOT,
                    "%-18s %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f%n",
                    run.name,
                    encode,
                    Statistics.median(run.encodeNanos),
                    decode,
                    Statistics.median(run.decodeNanos),
                    encode + decode,
                    run.subject.bytesPerRecord());
        }
    }

    private static double minimum(List<Double> samples) {
        return samples.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }
}
