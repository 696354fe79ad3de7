package org.heapspan.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs Heapspan and its peers on one corpus: shows that the corpus is sound, and what each of them brings across. */
@Tag("soak")
final class FidelityComparisonIT {
    private static final List<String> PEERS = List.of("java", "kryo", "fory");

    private static final Set<String> NOT_SERIALIZABLE = Set.of("typed-buffers", "view-weak-hash-map");

    /** By codec. */
    private static final Map<String, Map<String, Verdict>> VERDICTS = new LinkedHashMap<>();

    @BeforeAll
    static void runAll() throws IOException {
        long seed = Long.getLong("heapspan.tests.seed", PairRun.DAILY_SEED);
        System.out.println("FidelityComparisonIT: perturbation seed " + seed + " (repeat with -Dheapspan.tests.seed="
                + seed + ")");
        FidelityComparison comparison = new FidelityComparison();
        try (PairRun pairs = new PairRun(seed, false)) {
            for (String codec : List.of("heapspan", "java", "kryo", "fory")) {
                Combination combination = new Combination(JvmSide.of(25), JvmSide.of(25), codec, true);
                assertThat(pairs.reasonToSkip(combination)).isEmpty();
                Map<String, Verdict> verdicts = pairs.run(combination);
                VERDICTS.put(codec, verdicts);
                comparison.add(combination, verdicts);
            }
        }
        Path file = Path.of(System.getProperty("heapspan.root", "."), "build", "fidelity-comparison.md");
        Files.createDirectories(file.getParent());
        Files.writeString(file, comparison.markdown());
    }

    @Test
    void everyCaseCanBeBuilt() {
        assertThat(VERDICTS.values())
                .allSatisfy(verdicts -> assertThat(verdicts.values())
                        .noneMatch(verdict -> verdict.detail().contains("NOT_BUILT")));
    }

    /** A corpus that Java serialization fails would ask for more than a replacement of it has to do. */
    @Test
    void javaSerializationPassesMostCases() {
        assertThat(passed("java"))
                .as("cases passed, of %d", Corpus.cases().size())
                .isGreaterThan(Corpus.cases().size() * 8L / 10);
    }

    /** A peer that fails everywhere, by its set-up or because its jar is missing, is no comparison. */
    @Test
    void thePeersAreThere() {
        for (String peer : PEERS) {
            assertThat(arrivals(peer).size())
                    .as(
                            "graphs that arrive by %s, of %d cases",
                            peer, Corpus.cases().size())
                    .isGreaterThan(Corpus.cases().size() / 4);
        }
    }

    @Test
    void whatJavaSerializationBringsAcrossHeapspanDoesToo() {
        assertThat(missing("java")).isEmpty();
    }

    /** But for what docs/fidelity.md refuses: classes of the JDK that are not Serializable. */
    @Test
    void whatAPeerBringsAcrossHeapspanDoesToo() {
        assertThat(missing("kryo")).isSubsetOf(NOT_SERIALIZABLE);
        assertThat(missing("fory")).isSubsetOf(NOT_SERIALIZABLE);
    }

    /** Cases in which a graph arrives by the peer and not by Heapspan. */
    private static Set<String> missing(String peer) {
        Set<String> missing = arrivals(peer);
        missing.removeAll(arrivals("heapspan"));
        return missing;
    }

    private static long passed(String codec) {
        return VERDICTS.get(codec).values().stream()
                .filter(verdict -> verdict.outcome() == Outcome.PASSED)
                .count();
    }

    private static Set<String> arrivals(String codec) {
        return VERDICTS.get(codec).values().stream()
                .filter(Verdict::arrived)
                .map(Verdict::caseName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
