package org.heapspan.spark.tab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.SerializationTotals;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class PartsSectionTest {
    private static final long NOW = 1_700_000_000_000L;

    private final SerializationTotals totals = new SerializationTotals(NOW);

    private void executor(String id, Part part) {
        totals.add(new ExecutorReport(id, "host", "1", "a.Serializer", List.of(part.fact())));
    }

    private static Map<String, Object> row(String part, String state, String why, String... executors) {
        return Map.of("part", part, "state", state, "why", why, "executors", List.of(executors));
    }

    @Test
    void executorsAreNamedTogetherWhereTheSameHoldsOfThem() {
        executor("0", Part.off("second heap", "no folder"));
        executor("1", Part.on("second heap", "/fast, 10 MB"));
        executor("2", Part.off("second heap", "no folder"));
        totals.add(new ExecutorReport("3", "host", "of another version", "a.Serializer", List.of()));
        List<Part> ofAll =
                List.of(Part.on("shuffle", ""), Part.switchedOff("broadcasts", HeapspanConfiguration.BROADCAST));
        assertThat(PartsSection.json(ofAll, totals.snapshot(NOW)))
                .containsExactly(
                        row("shuffle", "on", "", "all"),
                        row("broadcasts", "off", "spark.heapspan.broadcast=false", "all"),
                        row("second heap", "off", "no folder", "0", "2"),
                        row("second heap", "on", "/fast, 10 MB", "1"));
    }

    @Test
    void thePageEscapesReasonsAndNamesSomeOfManyExecutors() {
        for (int i = 0; i < 13; i++) {
            executor(String.valueOf(i), Part.off("second heap", "<no folder>"));
        }
        Html html = new Html();
        PartsSection.write(html, List.of(), totals.snapshot(NOW));
        assertThat(html.toString())
                .contains(
                        "Parts (1)", "<td>&lt;no folder&gt;</td>", "<td>0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more</td>");
    }
}
