package org.heapspan.benchmarks.secondheap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** All figures of a report, with a note on the run; the content of {@code h2.json}. */
final class SecondHeapFigures {
    static final List<Integer> THREADS = List.of(1, 2, 4, 8);

    private RunNote run = new RunNote();
    private List<Figure> all = new ArrayList<>();

    /** For Jackson. */
    SecondHeapFigures() {}

    SecondHeapFigures(RunNote run) {
        this.run = run;
    }

    /** One figure, as often as it was measured. */
    static final class Figure {
        private String measure = "";
        private String subject = "";
        private int threads;
        private double[] values = {};

        private boolean is(String otherMeasure, String otherSubject, int otherThreads) {
            return measure.equals(otherMeasure) && subject.equals(otherSubject) && threads == otherThreads;
        }
    }

    static SecondHeapFigures load(Path json) throws IOException {
        return FigureFile.read(json, SecondHeapFigures.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    RunNote run() {
        return run;
    }

    /** Adds a figure. */
    void add(String measure, String subject, int threads, double... values) {
        Figure figure = new Figure();
        figure.measure = measure;
        figure.subject = subject;
        figure.threads = threads;
        figure.values = values;
        all.add(figure);
        System.err.printf("%s, %s, threads: %d: %.4g%n", measure, subject, threads, Statistics.median(values));
    }

    /** The median, if it was measured. */
    OptionalDouble find(String measure, String subject, int threads) {
        return all.stream()
                .filter(figure -> figure.is(measure, subject, threads) && figure.values.length > 0)
                .mapToDouble(figure -> Statistics.median(figure.values))
                .findFirst();
    }

    /** Half the distance of the quartiles as a share of the median. */
    OptionalDouble spread(String measure, String subject, int threads) {
        return all.stream()
                .filter(figure -> figure.is(measure, subject, threads) && figure.values.length > 0)
                .mapToDouble(figure -> Statistics.spread(figure.values))
                .findFirst();
    }
}
