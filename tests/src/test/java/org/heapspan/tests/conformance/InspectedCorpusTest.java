package org.heapspan.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The inspector, which loads no class, follows the images of the whole corpus. */
final class InspectedCorpusTest {
    @ParameterizedTest
    @ValueSource(strings = {"heapspan:bytes", "heapspan:raw"})
    void inspectsWhatTheCorpusEncodes(String codec) throws Exception {
        List<String> problems = new ArrayList<>();
        List<byte[]> encodings = Samples.encodedBy(codec, 1 << 20).encodings();
        for (byte[] each : encodings) {
            InspectedImage found = new ImageInspector(4, 10).inspect(each);
            if (found.problem() != null) {
                problems.add(found.classes() + ": " + found.problem());
            }
            if (found.tree().children().isEmpty()) {
                problems.add(found.classes() + ": no tree");
            }
        }
        assertThat(encodings).hasSizeGreaterThan(250);
        assertThat(problems).isEmpty();
    }
}
