package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.giraph.conf.GiraphConfiguration;
import org.heapspan.h2.SecondHeapOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerSettingsTest {
    private static final Pattern KEY = Pattern.compile("(?m)^\\| `(giraph\\.heapspan\\.\\w+)` \\|");

    @Test
    @Tag("once")
    void theTableOfTheDocumentationHasAllSettings() throws Exception {
        String page = Files.readString(Path.of(System.getProperty("heapspan.root"), "docs", "giraph.md"));
        Set<String> documented = KEY.matcher(page)
                .results()
                .map((MatchResult key) -> key.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented)
                .containsExactlyInAnyOrder(
                        WorkerSettings.DIRECTORY,
                        WorkerSettings.CAPACITY,
                        WorkerSettings.TRANSFER_HINT,
                        WorkerSettings.HIGH_THRESHOLD,
                        WorkerSettings.LOW_THRESHOLD,
                        WorkerSettings.ENCRYPTION_KEY_BITS);
    }

    private static SecondHeapOptions options(GiraphConfiguration settings) {
        return WorkerSettings.of(Workers.of(settings)).options();
    }

    @Test
    void eachThresholdHasASwitch(@TempDir Path folder) {
        GiraphConfiguration settings = Workers.settings(folder);
        assertThat(options(settings).highThreshold()).isEqualTo(0.85);
        assertThat(options(settings).lowThreshold()).isEqualTo(0.5);
        settings.set(WorkerSettings.LOW_THRESHOLD, "0");
        assertThat(options(settings).highThreshold()).isEqualTo(0.85);
        assertThat(options(settings).lowThreshold()).isZero();
        settings.set(WorkerSettings.HIGH_THRESHOLD, "0");
        assertThat(options(settings).highThreshold()).isZero();
    }
}
