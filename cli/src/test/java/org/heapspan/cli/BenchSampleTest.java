package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("once")
final class BenchSampleTest {
    static List<BenchSample> samples() {
        return BenchSample.builtIn();
    }

    /** So that what is measured is a whole copy. */
    @ParameterizedTest
    @MethodSource("samples")
    void comesBackEqualByEachLibrary(BenchSample sample) throws Exception {
        List<BenchLibrary> libraries = BenchLibrary.all(BenchSampleTest.class.getClassLoader(), new ArrayList<>());
        assertThat(libraries).hasSizeGreaterThanOrEqualTo(2);
        for (BenchLibrary library : libraries) {
            Object copy = library.decode(library.encode(sample.root()));
            assertThat(copy).isNotSameAs(sample.root());
            assertThat(Objects.deepEquals(sample.root(), copy))
                    .as(library.name())
                    .isTrue();
        }
    }

    @Test
    void helpNamesEachSample() {
        String help = new Help().text();
        assertThat(samples()).allSatisfy(sample -> assertThat(help).contains(sample.name()));
    }
}
