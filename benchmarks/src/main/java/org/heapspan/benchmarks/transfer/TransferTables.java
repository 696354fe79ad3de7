package org.heapspan.benchmarks.transfer;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.heapspan.benchmarks.data.SizedSet;

/** The figures as Markdown: the encoding that the rule chooses against Fory and Kryo, then everything. */
final class TransferTables {
    /** From here on the goal holds: smaller messages cost what a system call costs. */
    private static final int GOAL_ELEMENTS = 1 << 8;

    /** Ratios are printed with two digits: what prints as 1.00 is a draw. */
    private static final double ROUNDING = 0.005;

    private static final List<ToDoubleFunction<TransferFigure>> MEASURES =
            List.of(TransferFigure::latency, TransferFigure::time, TransferFigure::processor);

    private final TransferFigures figures;

    private TransferTables(TransferFigures figures) {
        this.figures = figures;
    }

    static String of(TransferFigures figures) {
        TransferTables tables = new TransferTables(figures);
        StringBuilder text = new StringBuilder();
        for (String channel : figures.channels()) {
            text.append(tables.summary(channel));
        }
        for (String channel : figures.channels()) {
            text.append("\n![Over ").append(title(channel)).append("](plots/");
            text.append(TransferChart.fileName(channel)).append(")\n");
        }
        for (String channel : figures.channels()) {
            for (String set : figures.sets()) {
                text.append(tables.details(channel, set));
            }
        }
        return text.toString();
    }

    static String title(String channel) {
        return channel.equals("tcp") ? "loopback TCP" : "a pipe";
    }

    private String summary(String channel) {
        StringBuilder text = new StringBuilder(String.format(
                "%n### Over %s: %s against Fory and Kryo%n%n", title(channel), Carrier.title(Carrier.byRule())));
        StringBuilder rows = new StringBuilder();
        int count = 0;
        int[] won = new int[2 * MEASURES.size()];
        for (String set : figures.sets()) {
            for (int elements : figures.elements()) {
                Optional<TransferFigure> ours = figures.find(channel, set, Carrier.byRule(), elements);
                if (elements >= GOAL_ELEMENTS && ours.isPresent()) {
                    rows.append("| ").append(new SizedSet(set, 1).title());
                    rows.append(String.format(Locale.ROOT, " | %,d |", elements));
                    for (int i = 0; i < won.length; i++) {
                        OptionalDouble factor = factor(
                                ours.get(),
                                MEASURES.get(i % MEASURES.size()),
                                i < MEASURES.size() ? Carrier.RIVALS_WITH_REFERENCES : Carrier.RIVALS);
                        rows.append(' ').append(cell(factor)).append(" |");
                        won[i] += factor.orElse(0) >= 1 - ROUNDING ? 1 : 0;
                    }
                    rows.append(' ').append(copy(ours.get())).append(" |\n");
                    count++;
                }
            }
        }
        text.append(String.format(
                "At least as fast as those that keep references on %d of %d rows by latency, %d by time, %d by processor time; as the"
                        + " fastest of all on %d, %d and %d.%n%n",
                won[0], count, won[1], won[2], won[3], won[4], won[5]));
        text.append("| data | elements | latency vs references on | time | processor time |"
                + " latency vs fastest of all | time | processor time | time against a plain copy |\n");
        text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        return text.append(rows).toString();
    }

    /** How many times as long the fastest of these takes; it may be another one for each measure. */
    private OptionalDouble factor(TransferFigure ours, ToDoubleFunction<TransferFigure> measure, List<String> rivals) {
        OptionalDouble best = rivals.stream()
                .flatMap(rival -> figures.find(ours.channel, ours.set, rival, ours.elements).stream())
                .mapToDouble(measure)
                .min();
        double value = measure.applyAsDouble(ours);
        // Short runs may take less than one step of the processor clock.
        return best.isEmpty() || value == 0 ? OptionalDouble.empty() : OptionalDouble.of(best.getAsDouble() / value);
    }

    private static String cell(OptionalDouble factor) {
        if (factor.isEmpty()) {
            return "-";
        }
        String text = String.format(Locale.ROOT, "%.2fx", factor.getAsDouble());
        return factor.getAsDouble() < 1 - ROUNDING ? "**" + text + " slower**" : text;
    }

    private String copy(TransferFigure ours) {
        return figures.find(ours.channel, ours.set, "copy", ours.elements)
                .map(copy -> String.format(Locale.ROOT, "%+.0f %%", 100 * (ours.time() / copy.time() - 1)))
                .orElse("");
    }

    private String details(String channel, String set) {
        StringBuilder text = new StringBuilder(
                String.format("%n### %s over %s: all figures%n%n", new SizedSet(set, 1).title(), title(channel)));
        text.append(
                "| elements | serializer | bytes | latency, us | time a message, us | processor time, us | spread |\n");
        text.append("|--:|---|--:|--:|--:|--:|--:|\n");
        for (int elements : figures.elements()) {
            for (String carrier : figures.carriers(set)) {
                figures.find(channel, set, carrier, elements)
                        .ifPresent(figure -> text.append(String.format(
                                Locale.ROOT,
                                "| %,d | %s | %,d | %s | %s | %s | ±%.0f %% |%n",
                                elements,
                                Carrier.title(carrier),
                                figure.sizeBytes,
                                micros(figure.latency()),
                                micros(figure.time()),
                                micros(figure.processor()),
                                100 * figure.spread())));
            }
        }
        return text.toString();
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, nanos < 100_000 ? "%.1f" : "%,.0f", nanos / 1e3);
    }
}
