package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** All figures of a report, with a note on the run; the content of {@code exchange.json}. */
final class ExchangeFigures {
    /** Notes on figures that are missing, and how the names of these figures begin. */
    private static final Map<String, String> MISSING =
            Map.of(ReplicaMeasurement.NOT_MEASURED, "replicas, ", RedisMeasurement.NOT_MEASURED, "Redis, ");

    private RunNote run = new RunNote();
    private List<RunNote> formerRuns = new ArrayList<>();
    private List<Figure> all = new ArrayList<>();

    /** For Jackson. */
    ExchangeFigures() {}

    ExchangeFigures(RunNote run) {
        this.run = run;
    }

    /** One figure, as often as it was measured. */
    static final class Figure {
        private String measure = "";
        private String subject = "";
        private double[] values = {};
    }

    static ExchangeFigures load(Path json) throws IOException {
        return FigureFile.read(json, ExchangeFigures.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    RunNote run() {
        return run;
    }

    /** The notes of all runs that have figures here. */
    List<RunNote> runs() {
        List<RunNote> runs = new ArrayList<>(formerRuns);
        runs.add(run);
        return runs;
    }

    /** Takes over what an earlier run has measured and this one has not. */
    void addFormer(ExchangeFigures former) {
        formerRuns.addAll(former.runs());
        for (Figure figure : former.all) {
            if (values(figure.measure, figure.subject).isEmpty()) {
                all.add(figure);
            }
        }
        for (RunNote note : formerRuns) {
            note.software =
                    note.software.stream().filter(line -> !isThereNow(line)).toList();
        }
    }

    private boolean isThereNow(String note) {
        String begin = MISSING.get(note);
        return begin != null && all.stream().anyMatch(figure -> figure.measure.startsWith(begin));
    }

    void add(String measure, String subject, double... values) {
        Figure figure = new Figure();
        figure.measure = measure;
        figure.subject = subject;
        figure.values = values;
        all.add(figure);
        System.err.printf("%s, %s: %.4g%n", measure, subject, Statistics.median(values));
    }

    /** The median, if it was measured. */
    OptionalDouble find(String measure, String subject) {
        return values(measure, subject).stream().mapToDouble(Statistics::median).findFirst();
    }

    /** Half the distance of the quartiles as a share of the median. */
    OptionalDouble spread(String measure, String subject) {
        return values(measure, subject).stream().mapToDouble(Statistics::spread).findFirst();
    }

    private List<double[]> values(String measure, String subject) {
        return all.stream()
                .filter(figure ->
                        figure.measure.equals(measure) && figure.subject.equals(subject) && figure.values.length > 0)
                .map(figure -> figure.values)
                .toList();
    }
}
