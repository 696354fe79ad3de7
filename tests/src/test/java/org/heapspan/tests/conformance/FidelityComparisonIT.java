package org.heapspan.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;
import org.junit.jupiter.api.Test;

/** Runs the peers on the same corpus: shows what is compared, and that the corpus itself is sound. */
final class FidelityComparisonIT {

    @Test
    void everyCaseCanBeBuiltAndThePeersAreCompared() throws IOException {
        long seed = Long.getLong("heapspan.tests.seed", System.nanoTime());
        System.out.println("FidelityComparisonIT: perturbation seed " + seed);
        FidelityComparison comparison = new FidelityComparison();
        List<String> faultsOfTheCorpus = new ArrayList<>();
        long passedByJava = 0;
        try (PairRun pairs = new PairRun(seed, false)) {
            List<Combination> combinations =
                    new ArrayList<>(List.of(new Combination(JvmSide.of(25), JvmSide.of(25), "heapspan", true)));
            for (String codec : List.of("java", "kryo", "fory")) {
                combinations.add(new Combination(JvmSide.of(25), JvmSide.of(25), codec, true));
            }
            for (Combination combination : combinations) {
                if (!pairs.reasonToSkip(combination).isEmpty()) {
                    continue;
                }
                Map<String, Verdict> verdicts = pairs.run(combination);
                comparison.add(combination, verdicts);
                for (Verdict verdict : verdicts.values()) {
                    if (verdict.detail().contains("NOT_BUILT")) {
                        faultsOfTheCorpus.add(verdict.caseName() + ": " + verdict.detail());
                    }
                    if (combination.codec().equals("java") && verdict.outcome() == Outcome.PASSED) {
                        passedByJava++;
                    }
                }
            }
        }
        Path file = Path.of(System.getProperty("heapspan.root", "."), "build", "fidelity-comparison.md");
        Files.createDirectories(file.getParent());
        Files.writeString(file, comparison.markdown());
        assertThat(faultsOfTheCorpus).as("cases that cannot be built").isEmpty();
        assertThat(passedByJava)
                .as("cases passed by Java serialization, of %d", Corpus.cases().size())
                .isGreaterThan(Corpus.cases().size() * 8L / 10);
    }
}
