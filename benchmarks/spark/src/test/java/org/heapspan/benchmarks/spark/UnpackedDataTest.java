package org.heapspan.benchmarks.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the data of benchmarks are multiplied. */
@Tag("once")
final class UnpackedDataTest {
    @Test
    void noEdgeConnectsTwoCopiesOfAGraph(@TempDir Path folder) throws IOException {
        Path original = Files.writeString(folder.resolve("graph"), "# two edges\n0\t7\n3 2\n");
        Path target = folder.resolve("copies");
        UnpackedData.copy(original, target, 3);
        assertThat(target).hasContent("0\t7\n3\t2\n8\t15\n11\t10\n16\t23\n19\t18\n");
    }
}
