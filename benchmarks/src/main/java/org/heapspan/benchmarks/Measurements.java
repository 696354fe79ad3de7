package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.heapspan.benchmarks.peer.Peers;

/** All figures of a report, with a note on each run; the content of {@code codec.json}. */
final class Measurements {
    private List<RunNote> runs = new ArrayList<>();
    private List<Measurement> all = new ArrayList<>();

    /** The figures in this file, or none if there is no file. */
    static Measurements load(Path json) throws IOException {
        return Files.exists(json) ? FigureFile.read(json, Measurements.class) : new Measurements();
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    /**
     * Adds the note of a run that begins: measurements that are put from now on are of this run.
     *
     * @throws IOException if former figures are of another kind of machine, or were measured another way
     */
    void begin(RunNote run) throws IOException {
        run.mustBeComparableWith(runs);
        runs.add(run);
    }

    /** The runs that figures are of, in the order of measuring. */
    List<RunNote> runs() {
        return runs;
    }

    List<Measurement> all() {
        return all;
    }

    /** Adds the measurement of the latest run in place of an older one of the same thing; a run of which none is left goes. */
    void put(Measurement measurement) {
        measurement.run = runs.size() - 1;
        all.removeIf(measurement::replaces);
        all.add(measurement);
        OfRun.dropUnused(runs, all);
    }

    /** One measurement for each kind of JVM and call; the JVM's defaults come first. */
    List<Measurement> groups() {
        List<Measurement> groups = new ArrayList<>();
        for (Measurement measurement : all) {
            boolean known = groups.stream()
                    .anyMatch(group -> group.jdk.equals(measurement.jdk)
                            && group.collector.equals(measurement.collector)
                            && group.call == measurement.call);
            if (!known) {
                groups.add(measurement);
            }
        }
        groups.sort(Comparator.comparing((Measurement group) -> !group.collector.equals("G1"))
                .thenComparing(group -> -Integer.parseInt(group.jdk))
                .thenComparing(group -> group.call));
        return groups;
    }

    /** The data sets measured in the same kind of JVM with the same call. */
    List<String> sets(Measurement group) {
        return all.stream()
                .filter(measurement -> measurement.jdk.equals(group.jdk)
                        && measurement.collector.equals(group.collector)
                        && measurement.call == group.call)
                .map(measurement -> measurement.set)
                .distinct()
                .toList();
    }

    /** The measurements of the group on the data set, in the order of the peers. */
    List<Measurement> rows(Measurement group, String set) {
        List<Measurement> rows = new ArrayList<>();
        for (String peer : Peers.names()) {
            for (Measurement measurement : all) {
                if (measurement.jdk.equals(group.jdk)
                        && measurement.collector.equals(group.collector)
                        && measurement.call == group.call
                        && measurement.set.equals(set)
                        && measurement.peer.equals(peer)) {
                    rows.add(measurement);
                }
            }
        }
        return rows;
    }

    /** The fastest setting of the family in these rows, by the sum of encode and decode. */
    static Optional<Measurement> fastest(List<Measurement> rows, Peers.Family family) {
        return fastest(rows, row -> Peers.family(row.peer) == family);
    }

    /** The fastest of these rows for which a condition holds, by the sum of encode and decode. */
    static Optional<Measurement> fastest(List<Measurement> rows, Predicate<Measurement> condition) {
        return rows.stream()
                .filter(row -> row.isTimed() && condition.test(row))
                .min((a, b) -> Double.compare(a.sumNanos(), b.sumNanos()));
    }
}
