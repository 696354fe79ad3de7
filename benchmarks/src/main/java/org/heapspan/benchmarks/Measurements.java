package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.heapspan.benchmarks.peer.Peers;

/** All figures of a report, with a note on the machine; the content of {@code codec.json}. */
final class Measurements {
    private List<String> machine = List.of();
    private List<Measurement> all = new ArrayList<>();

    /** The figures in this file, or none if there is no file. */
    static Measurements load(Path json) throws IOException {
        return Files.exists(json) ? FigureFile.read(json, Measurements.class) : new Measurements();
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    void setMachine(List<String> lines) {
        machine = lines;
    }

    List<String> machine() {
        return machine;
    }

    List<Measurement> all() {
        return all;
    }

    /** Adds the measurement in place of an older one of the same thing. */
    void put(Measurement measurement) {
        all.removeIf(measurement::replaces);
        all.add(measurement);
    }

    /** One measurement for each kind of JVM and call, in the order of measuring. */
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
        return rows.stream()
                .filter(row -> row.isTimed() && Peers.family(row.peer) == family)
                .min((a, b) -> Double.compare(a.sumNanos(), b.sumNanos()));
    }
}
