package org.heapspan.benchmarks.exchange;

import java.util.Arrays;
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
        StringBuilder text = new StringBuilder(RunNote.markdown(figures.runs()));
        text.append("""

                ### One object of 1 KB, us

                | Call | shared memory: median | 99 % | TCP: median | 99 % |
                |---|--:|--:|--:|--:|
                """);
        for (String call : CallMeasurement.CALLS) {
            text.append("| ").append(call);
            for (String way : List.of(CallMeasurement.SHARED, CallMeasurement.TCP)) {
                cell(text, CallMeasurement.MEDIAN + call, way);
                cell(text, CallMeasurement.TAIL + call, way);
            }
            text.append(" |\n");
        }
        firstByte(text);
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
        papers(text);
        redis(text);
        requests(text);
        network(text);
        keepers(text);
        replicas(text);
        deduplication(text);
        return new Rendered(text.toString(), List.of());
    }

    /** Tables that figures of earlier runs do not have are left out. */
    private boolean lacks(String measure, String subject) {
        return figures.find(measure, subject).isEmpty();
    }

    private void firstByte(StringBuilder text) {
        if (lacks(FirstByteMeasurement.MEDIAN, FirstByteMeasurement.Way.SHARED.title())) {
            return;
        }
        text.append("\n### The first byte, us\n\n| What | median | Spread, % |\n|---|--:|--:|\n");
        for (FirstByteMeasurement.Way way : FirstByteMeasurement.Way.values()) {
            text.append("| ").append(way.title());
            cell(text, FirstByteMeasurement.MEDIAN, way.title());
            text.append(String.format(
                    Locale.ROOT,
                    " | %.0f |%n",
                    100
                            * figures.spread(FirstByteMeasurement.MEDIAN, way.title())
                                    .orElse(0)));
        }
    }

    private void papers(StringBuilder text) {
        if (lacks(ExchangeMeasurement.SEND + PaperSets.NAMES.get(0), ExchangeMeasurement.EXCHANGE)) {
            return;
        }
        text.append("\n### From object to object, sizes of the papers, ms\n\n| Data");
        ExchangeMeasurement.SENDERS.forEach(sender -> text.append(" | ").append(ExchangeMeasurement.title(sender)));
        text.append(" |\n|---")
                .append("|--:".repeat(ExchangeMeasurement.SENDERS.size()))
                .append("|\n");
        for (String set : PaperSets.NAMES) {
            text.append("| ").append(PaperSets.title(set));
            ExchangeMeasurement.SENDERS.forEach(sender -> cell(text, ExchangeMeasurement.SEND + set, sender));
            text.append(" |\n");
        }
    }

    private void redis(StringBuilder text) {
        List<String> measures = List.of(RedisMeasurement.PUT, RedisMeasurement.GET);
        if (lacks(RedisMeasurement.LENGTH + RedisMeasurement.SIZES.get(0), RedisMeasurement.WITH_KRYO)) {
            return;
        }
        text.append("""

                ### Beside Redis, ms

                | Graph | Kryo, KB | Call | Redis, JDK serialization | Redis, Kryo | global heap, shared memory | global heap, TCP |
                |---|--:|---|--:|--:|--:|--:|
                """);
        for (int size : RedisMeasurement.SIZES) {
            double length = figures.find(RedisMeasurement.LENGTH + size, RedisMeasurement.WITH_KRYO)
                    .orElse(0);
            for (String measure : measures) {
                text.append(String.format(
                        Locale.ROOT,
                        "| %,d media | %,.1f | %s",
                        size,
                        length / 1e3,
                        measure.equals(RedisMeasurement.PUT) ? "put" : "get"));
                RedisMeasurement.SUBJECTS.forEach(subject -> cell(text, measure + size, subject));
                text.append(" |\n");
            }
        }
    }

    private void requests(StringBuilder text) {
        if (lacks(RequestMeasurement.RATE + RequestMeasurement.FIND, RequestMeasurement.SERVER)) {
            return;
        }
        text.append("""

                ### A server that has one core, calls of eight threads

                | Call | 1,000 in a second | 1,000 in a second of processor time of the server |
                |---|--:|--:|
                """);
        for (String call : RequestMeasurement.CALLS) {
            text.append("| ").append(call);
            cell(text, RequestMeasurement.RATE + call, RequestMeasurement.SERVER);
            cell(text, RequestMeasurement.RATE_OF_CORE + call, RequestMeasurement.SERVER);
            text.append(" |\n");
        }
    }

    private void network(StringBuilder text) {
        List<NetworkMeasurement.Cable> cables = Arrays.stream(NetworkMeasurement.Cable.values())
                .filter(cable -> !lacks(cable.measure(), NetworkMeasurement.Way.BARE.title()))
                .toList();
        if (cables.isEmpty()) {
            return;
        }
        text.append("\n### From a server on another host, GB/s\n\n| What");
        cables.forEach(cable -> text.append(" | ").append(cable.title()));
        text.append(" |\n|---").append("|--:".repeat(cables.size())).append("|\n");
        for (NetworkMeasurement.Way way : NetworkMeasurement.Way.values()) {
            text.append("| ").append(way.title());
            cables.forEach(cable -> cell(text, cable.measure(), way.title()));
            text.append(" |\n");
        }
    }

    private void replicas(StringBuilder text) {
        ReplicaMeasurement.Way[] ways = ReplicaMeasurement.Way.values();
        if (lacks(ReplicaMeasurement.measure(ReplicaMeasurement.SIZES.get(0), "put"), ways[0].title())) {
            return;
        }
        text.append("\n### Servers that replicate their keys, us\n\n| Call | Bytes");
        for (ReplicaMeasurement.Way way : ways) {
            text.append(" | ").append(way.title());
        }
        text.append(" |\n|---|--:").append("|--:".repeat(ways.length)).append("|\n");
        for (int size : ReplicaMeasurement.SIZES) {
            for (String call : CallMeasurement.CALLS) {
                text.append(String.format(Locale.ROOT, "| %s | %,d", call, size));
                for (ReplicaMeasurement.Way way : ways) {
                    cell(text, ReplicaMeasurement.measure(size, call), way.title());
                }
                text.append(" |\n");
            }
        }
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
