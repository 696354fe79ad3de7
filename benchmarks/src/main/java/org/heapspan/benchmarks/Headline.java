package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.benchmarks.peer.Peers.Family;

/**
 * Each serializer at its own best: of all its settings, and of a chunk as one array, record by record, and one record in each call, what
 * takes the least time for encode and decode together. Heapspan is there as it comes, nothing registered.
 */
final class Headline {
    private static final List<Family> RIVALS =
            List.of(Family.FORY_REFS, Family.FORY, Family.KRYO_REFS, Family.KRYO, Family.JDK);

    /** The rivals of the first table. */
    private static final List<Family> FIRST_RIVALS = List.of(Family.FORY_REFS, Family.FORY);

    /** Settings of Heapspan that differ in granularity only. */
    private static final Set<String> AS_IT_COMES = Set.of("heapspan", "heapspan-array");

    /** What is as near as that may be the other way round in the next JVM. */
    private static final double CLOSE = 0.1;

    /** Figures that are farther apart than this factor need no range. */
    private static final double FAR = 1.5;

    private Headline() {}

    /** A table for each kind of JVM, the JVM's defaults first. */
    static String all(Measurements measurements) {
        StringBuilder text = new StringBuilder();
        for (Measurement jvm : jvms(measurements)) {
            text.append("\n### ").append(title(jvm)).append(": each serializer at its own best\n\n");
            text.append(table(measurements, jvm, RIVALS));
        }
        return text.toString();
    }

    /** The table of the first kind of JVM, with Fory alone beside. */
    static String first(Measurements measurements) {
        List<Measurement> jvms = jvms(measurements);
        return jvms.isEmpty()
                ? ""
                : title(jvms.get(0)) + ":\n\n"
                        + table(measurements, jvms.get(0), FIRST_RIVALS)
                        + ofTwoDays(measurements, jvms.get(0));
    }

    /** Names the ratios of the first table whose two figures are of different days; empty if there are none. */
    private static String ofTwoDays(Measurements measurements, Measurement jvm) {
        List<String> ratios = new ArrayList<>();
        for (String set : sets(measurements, jvm)) {
            for (Family family : FIRST_RIVALS) {
                Optional<Measurement> heapspan = heapspan(measurements, jvm, set);
                Optional<Measurement> rival = rival(measurements, jvm, set, family);
                if (heapspan.isPresent()
                        && rival.isPresent()
                        && !day(measurements, heapspan.get()).equals(day(measurements, rival.get()))) {
                    ratios.add("* " + DataSets.named(set).title() + ", vs " + family.title() + "\n");
                }
            }
        }
        return ratios.isEmpty()
                ? ""
                : "\nThe speed of the machine differs between days. These ratios compare figures of two days:\n\n"
                        + String.join("", ratios);
    }

    private static String day(Measurements measurements, Measurement row) {
        return measurements.runs().get(row.run).date;
    }

    /** A table of what Heapspan loses by more than the difference that a next JVM may make, the largest losses first. */
    static String losses(Measurements measurements) {
        record Loss(String row, double factor) {}
        List<Loss> losses = new ArrayList<>();
        for (Measurement jvm : jvms(measurements)) {
            for (String set : sets(measurements, jvm)) {
                for (Family family : RIVALS) {
                    Optional<Measurement> heapspan = heapspan(measurements, jvm, set);
                    Optional<Measurement> rival = rival(measurements, jvm, set, family);
                    if (heapspan.isPresent() && rival.isPresent()) {
                        Ratio ratio = Ratio.of(heapspan.get(), rival.get());
                        if (ratio.factor() < 1 - CLOSE) {
                            String row = String.format(
                                    Locale.ROOT,
                                    "| %s | %s | %s | %s |%n",
                                    DataSets.named(set).title(),
                                    title(jvm),
                                    Peers.title(rival.get().peer),
                                    ratio);
                            losses.add(new Loss(row, ratio.factor()));
                        }
                    }
                }
            }
        }
        losses.sort((a, b) -> Double.compare(a.factor, b.factor));
        StringBuilder text = new StringBuilder("| Data | JVM | Faster | its time : Heapspan's |\n|---|---|---|--:|\n");
        losses.forEach(loss -> text.append(loss.row));
        return text.toString();
    }

    /** Figures that differ by less than a factor of 1.5 from one with which they are compared: these need several JVMs. */
    static Set<Measurement> close(Measurements measurements) {
        Set<Measurement> close = new LinkedHashSet<>();
        for (Measurement jvm : jvms(measurements)) {
            for (String set : sets(measurements, jvm)) {
                Optional<Measurement> heapspan = heapspan(measurements, jvm, set);
                for (Family family : RIVALS) {
                    Optional<Measurement> rival = rival(measurements, jvm, set, family);
                    if (heapspan.isPresent() && rival.isPresent()) {
                        double factor = Ratio.of(heapspan.get(), rival.get()).factor();
                        if (factor > 1 / FAR && factor < FAR) {
                            close.add(heapspan.get());
                            close.add(rival.get());
                        }
                    }
                }
            }
        }
        return close;
    }

    private static String table(Measurements measurements, Measurement jvm, List<Family> rivals) {
        StringBuilder text = new StringBuilder("| data | Heapspan, ns | spread | JVMs | fastest as |");
        rivals.forEach(family -> text.append(" vs ").append(family.title()).append(" |"));
        text.append("\n|---|--:|--:|--:|---|")
                .append("--:|".repeat(rivals.size()))
                .append('\n');
        for (String set : sets(measurements, jvm)) {
            text.append("| ").append(DataSets.named(set).title()).append(" | ");
            Optional<Measurement> heapspan = heapspan(measurements, jvm, set);
            text.append(heapspan.map(best -> String.format(
                            Locale.ROOT,
                            "%s | ±%.0f %% | %d | %s",
                            Tables.nanos(best.sumNanos()),
                            100 * best.spread(),
                            best.encode.size(),
                            granularity(best)))
                    .orElse("- | | | "));
            text.append(" |");
            for (Family family : rivals) {
                text.append(' ')
                        .append(Tables.against(heapspan, candidates(measurements, jvm, set), family))
                        .append(" |");
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String granularity(Measurement best) {
        return best.call == Call.SINGLE
                ? "one record in each call"
                : best.peer.equals("heapspan-array") ? "one array" : "a group of records";
    }

    static String title(Measurement jvm) {
        return "JDK " + jvm.jdk + ", " + jvm.collector + " GC";
    }

    private static Optional<Measurement> heapspan(Measurements measurements, Measurement jvm, String set) {
        return Measurements.fastest(candidates(measurements, jvm, set), row -> AS_IT_COMES.contains(row.peer));
    }

    private static Optional<Measurement> rival(Measurements measurements, Measurement jvm, String set, Family family) {
        return Measurements.fastest(candidates(measurements, jvm, set), family);
    }

    /** In one call and in many. */
    private static List<Measurement> candidates(Measurements measurements, Measurement jvm, String set) {
        return measurements.all().stream()
                .filter(row -> isOf(jvm, row) && row.set.equals(set))
                .toList();
    }

    private static boolean isOf(Measurement jvm, Measurement row) {
        return row.jdk.equals(jvm.jdk) && row.collector.equals(jvm.collector);
    }

    private static List<Measurement> jvms(Measurements measurements) {
        List<Measurement> jvms = new ArrayList<>();
        for (Measurement group : measurements.groups()) {
            if (jvms.stream().noneMatch(jvm -> isOf(jvm, group))) {
                jvms.add(group);
            }
        }
        return jvms;
    }

    private static List<String> sets(Measurements measurements, Measurement jvm) {
        List<String> order = DataSets.all().stream().map(set -> set.name()).toList();
        return order.stream()
                .filter(set -> !candidates(measurements, jvm, set).isEmpty())
                .toList();
    }
}
