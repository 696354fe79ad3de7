package org.heapspan.benchmarks.exchange;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;

/** Writes the tables of a report. */
final class ExchangePage {
    private final ExchangeFigures figures;

    ExchangePage(ExchangeFigures figures) {
        this.figures = figures;
    }

    /** What stands between the two comments of {@code docs/benchmarks-exchange.md}. */
    Rendered rendered() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(figures.run())));
        text.append("\n### One object of 1 KB\n\n| Call | Shared memory, us | TCP, us |\n|---|--:|--:|\n");
        for (String call : ExchangeMeasurement.CALLS) {
            text.append("| ").append(call);
            cell(text, ExchangeMeasurement.LATENCY + call, ExchangeMeasurement.SHARED);
            cell(text, ExchangeMeasurement.LATENCY + call, ExchangeMeasurement.TCP);
            text.append(" |\n");
        }
        text.append("""

                ### A published group, read by another JVM

                | Data | Read | ms | Spread, % | : local decode |
                |---|---|--:|--:|--:|
                """);
        for (String set : ExchangeMeasurement.SETS) {
            for (ExchangeReader.Way way : ExchangeReader.Way.values()) {
                String measure = ExchangeMeasurement.READ + set;
                OptionalDouble value = figures.find(measure, way.title());
                if (value.isPresent()) {
                    text.append("| ").append(set).append(" | ").append(way.title());
                    cell(text, measure, way.title());
                    text.append(String.format(
                            Locale.ROOT,
                            " | %.0f | ",
                            100 * figures.spread(measure, way.title()).orElse(0)));
                    OptionalDouble local = figures.find(measure, way.local().title());
                    if (way.local() != way && local.isPresent()) {
                        text.append(number(value.getAsDouble() / local.getAsDouble()));
                    }
                    text.append(" |\n");
                }
            }
        }
        text.append("\n### 80 MB over loopback TCP\n\n| What | GB/s | Spread, % |\n|---|--:|--:|\n");
        for (String subject : List.of(
                ExchangeMeasurement.BARE,
                ExchangeMeasurement.FETCH_WITHOUT_SECRET,
                ExchangeMeasurement.FETCH,
                ExchangeMeasurement.FETCH_WITHIN_TLS)) {
            // Figures of earlier runs do not have all of them.
            if (figures.find(ExchangeMeasurement.LINK, subject).isPresent()) {
                text.append("| ").append(subject);
                cell(text, ExchangeMeasurement.LINK, subject);
                text.append(String.format(
                        Locale.ROOT,
                        " | %.0f |%n",
                        100 * figures.spread(ExchangeMeasurement.LINK, subject).orElse(0)));
            }
        }
        text.append("\n### From object to object between two JVMs, ms\n\n| Data");
        ExchangeMeasurement.SENDERS.forEach(sender -> text.append(" | ").append(ExchangeMeasurement.title(sender)));
        text.append(" |\n|---")
                .append("|--:".repeat(ExchangeMeasurement.SENDERS.size()))
                .append("|\n");
        for (String set : ExchangeMeasurement.SETS) {
            text.append("| ").append(set);
            ExchangeMeasurement.SENDERS.forEach(sender -> cell(text, ExchangeMeasurement.SEND + set, sender));
            text.append(" |\n");
        }
        keepers(text);
        deduplication(text);
        return new Rendered(text.toString(), List.of());
    }

    private void keepers(StringBuilder text) {
        for (KeeperMeasurement.Size size : KeeperMeasurement.Size.values()) {
            if (figures.find(size.measure(KeeperMeasurement.Call.PUT), KeeperMeasurement.Way.SERVER.title())
                    .isEmpty()) {
                // Figures of earlier runs do not have them.
                return;
            }
            text.append("\n### A client on another host, ").append(size.title()).append(", us\n\n| Call");
            for (KeeperMeasurement.Way way : KeeperMeasurement.Way.values()) {
                text.append(" | ").append(way.title());
            }
            text.append(" |\n|---")
                    .append("|--:".repeat(KeeperMeasurement.Way.values().length))
                    .append("|\n");
            for (KeeperMeasurement.Call call : KeeperMeasurement.Call.values()) {
                text.append("| ").append(call.title());
                for (KeeperMeasurement.Way way : KeeperMeasurement.Way.values()) {
                    cell(text, size.measure(call), way.title());
                }
                text.append(" |\n");
            }
        }
    }

    private void deduplication(StringBuilder text) {
        if (figures.find(DeduplicationMeasurement.BYTES, DeduplicationMeasurement.Way.COPIES.title())
                .isEmpty()) {
            return;
        }
        text.append("\n### Values that come again\n\n| What");
        for (DeduplicationMeasurement.Way way : DeduplicationMeasurement.Way.values()) {
            text.append(" | ").append(way.title());
        }
        text.append(" |\n|---")
                .append("|--:".repeat(DeduplicationMeasurement.Way.values().length))
                .append("|\n");
        for (String measure : DeduplicationMeasurement.MEASURES) {
            text.append("| ").append(measure);
            for (DeduplicationMeasurement.Way way : DeduplicationMeasurement.Way.values()) {
                cell(text, measure, way.title());
            }
            text.append(" |\n");
        }
    }

    private void cell(StringBuilder text, String measure, String subject) {
        OptionalDouble value = figures.find(measure, subject);
        text.append(" | ").append(value.isPresent() ? number(value.getAsDouble()) : "");
    }

    private static String number(double value) {
        return String.format(
                Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.4f", value);
    }
}
