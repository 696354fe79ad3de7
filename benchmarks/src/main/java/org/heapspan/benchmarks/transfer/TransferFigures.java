package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.data.SizedSet;

/** All figures of a report, with a note on the run; the content of {@code transfer.json}. */
final class TransferFigures {
    private RunNote run = new RunNote();
    private List<TransferFigure> all = new ArrayList<>();

    /** For Jackson. */
    TransferFigures() {}

    TransferFigures(RunNote run) {
        this.run = run;
    }

    static TransferFigures load(Path json) throws IOException {
        return FigureFile.read(json, TransferFigures.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    RunNote run() {
        return run;
    }

    /** Adds a line that {@link TransferSender} has printed. */
    void add(String set, String carrier, String line) {
        String[] parts = line.split(" ", -1);
        int elements = Integer.parseInt(parts[1]);
        TransferFigure figure = find(parts[0], set, carrier, elements).orElseGet(() -> {
            TransferFigure added = new TransferFigure();
            added.channel = parts[0];
            added.set = set;
            added.carrier = carrier;
            added.elements = elements;
            all.add(added);
            return added;
        });
        figure.sizeBytes = Long.parseLong(parts[2]);
        figure.latencyNanos.add(Long.parseLong(parts[3]));
        figure.messages.add(Long.parseLong(parts[4]));
        figure.nanos.add(Long.parseLong(parts[5]));
        figure.processorNanos.add(Long.parseLong(parts[6]));
    }

    Optional<TransferFigure> find(String channel, String set, String carrier, int elements) {
        return all.stream()
                .filter(each -> each.isOf(channel, set, carrier, elements))
                .findFirst();
    }

    /** The channels measured. */
    List<String> channels() {
        return all.stream().map(each -> each.channel).distinct().toList();
    }

    /** The data sets measured, in the order of {@link SizedSet#NAMES}. */
    List<String> sets() {
        return SizedSet.NAMES.stream()
                .filter(set -> all.stream().anyMatch(each -> each.set.equals(set)))
                .toList();
    }

    /** The carriers measured on a data set, in the order of {@link Carrier#NAMES}. */
    List<String> carriers(String set) {
        return Carrier.NAMES.stream()
                .filter(carrier -> all.stream().anyMatch(each -> each.set.equals(set) && each.carrier.equals(carrier)))
                .toList();
    }

    /** The numbers of elements measured, in ascending order. */
    List<Integer> elements() {
        return all.stream().map(each -> each.elements).distinct().sorted().toList();
    }

    /** How many windows each figure is the median of, at the least. */
    int windows() {
        return all.stream().mapToInt(each -> each.nanos.size()).min().orElse(0);
    }
}
