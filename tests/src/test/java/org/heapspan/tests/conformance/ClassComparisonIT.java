package org.heapspan.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.heapspan.tests.conformance.ClassComparison.Result;
import org.heapspan.tests.conformance.PairRun.Verdict;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An object of each public class of the JDK's base module and of Scala's collections, by Heapspan and its peers, between two JVMs. */
@Tag("soak")
final class ClassComparisonIT {
    private static final String BEGIN = "<!-- made from ClassComparison -->\n";
    private static final String END = "<!-- end -->";

    private static ClassComparison comparison;

    @BeforeAll
    static void runAll() {
        long seed = Long.getLong("heapspan.tests.seed", 20_261_124L);
        System.out.println(
                "ClassComparisonIT: perturbation seed " + seed + " (repeat with -Dheapspan.tests.seed=" + seed + ")");
        Map<String, Map<String, Verdict>> verdicts = new LinkedHashMap<>();
        try (PairRun pairs = new PairRun(seed, false)) {
            for (String codec : ClassComparison.COLUMNS.keySet()) {
                Combination combination = new Combination(JvmSide.of(25), JvmSide.of(25), codec, false);
                assertThat(pairs.reasonToSkip(combination)).isEmpty();
                verdicts.put(codec, pairs.runClasses(combination));
            }
        }
        int all = ClassCases.all().size();
        comparison = new ClassComparison(verdicts, all - verdicts.get("java").size());
    }

    private static Set<String> names(Predicate<String> condition) {
        Set<String> names = new TreeSet<>();
        for (String name : comparison.names()) {
            if (condition.test(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** A serializer that fails everywhere, by its set-up or because its classes are missing, is no comparison. */
    @Test
    void thePeersAreThere() {
        for (String codec : ClassComparison.COLUMNS.keySet()) {
            assertThat(names(name -> comparison.of(codec, name) == Result.YES))
                    .as("objects that arrive by %s", codec)
                    .hasSizeGreaterThan(300);
        }
    }

    @Test
    void whatJavaSerializationCarriesHeapspanDoesToo() {
        assertThat(names(name ->
                        comparison.of("java", name) == Result.YES && comparison.of("heapspan", name) != Result.YES))
                .isEmpty();
    }

    /** Where Heapspan delivers an object that behaves otherwise, Java serialization does so too: by the class's own choice. */
    @Test
    void nothingArrivesOtherwiseThanByJavaSerialization() {
        assertThat(names(name ->
                        comparison.of("heapspan", name) == Result.WRONG && comparison.of("java", name) != Result.WRONG))
                .isEmpty();
    }

    @Test
    void whatHeapspanDoesNotCarryHasAReason() {
        assertThat(names(name -> comparison.needsReason(name) && ReasonsToRefuse.of(name) == null))
                .isEmpty();
    }

    /** With {@code -Dheapspan.write=true} the page is written instead. */
    @Test
    void thePageShowsTheResult() throws IOException {
        Path file = Path.of(System.getProperty("heapspan.root", "."), "docs", "fidelity.md");
        String text = Files.readString(file);
        int from = text.indexOf(BEGIN) + BEGIN.length();
        int to = text.indexOf(END, from);
        assertThat(from).as(BEGIN).isGreaterThanOrEqualTo(BEGIN.length());
        assertThat(to).as(END).isPositive();
        String table = comparison.markdown();
        if (Boolean.getBoolean("heapspan.write")) {
            Files.writeString(file, text.substring(0, from) + table + text.substring(to));
            return;
        }
        assertThat(text.substring(from, to))
                .as("tables of docs/fidelity.md; -DargLine=-Dheapspan.write=true writes them")
                .isEqualTo(table);
    }
}
