package org.heapspan.benchmarks.curve;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** All points of the curves, with a note on the run; the content of {@code curves.json}. */
final class CurveFigures {
    /** What a peer took for an object; a bean. */
    static final class Figure {
        public String set = "";
        public String peer = "";
        public int elements;
        public int threads;
        public long sizeBytes;

        /** Nanoseconds a call, a window each, those of all JVMs. With threads: the time between two ends of calls, whichever thread made them. */
        public List<Double> encode = new ArrayList<>();

        public List<Double> decode = new ArrayList<>();

        /** Empty, or why there are no times. */
        public String remark = "";

        double encodeNanos() {
            return Statistics.median(values(encode));
        }

        double decodeNanos() {
            return Statistics.median(values(decode));
        }

        double sumNanos() {
            return encodeNanos() + decodeNanos();
        }

        /** Half the distance of the quartiles relative to the median. */
        static double spread(List<Double> nanos) {
            return Statistics.spread(values(nanos));
        }

        /** Half the distance from the least median of a JVM to the greatest, relative to the median of all; 0 of one JVM. */
        static double spreadOfJvms(List<Double> nanos) {
            double least = Double.POSITIVE_INFINITY;
            double most = 0;
            for (int i = 0; i < nanos.size(); i += CurveRun.WINDOWS) {
                double median = Statistics.median(nanos.subList(i, Math.min(i + CurveRun.WINDOWS, nanos.size())));
                least = Math.min(least, median);
                most = Math.max(most, median);
            }
            return (most - least) / 2 / Statistics.median(nanos);
        }

        private static double[] values(List<Double> list) {
            return list.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }

    private RunNote run = new RunNote();
    private List<Figure> all = new ArrayList<>();

    /** For Jackson. */
    CurveFigures() {}

    CurveFigures(RunNote run) {
        this.run = run;
    }

    static CurveFigures load(Path json) throws IOException {
        return FigureFile.read(json, CurveFigures.class);
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    RunNote run() {
        return run;
    }

    /** Adds a line that {@link CurveRun} has printed. */
    void add(String set, String peer, String line) {
        String[] parts = line.split("\t", -1);
        int elements = Integer.parseInt(parts[0]);
        int threads = Integer.parseInt(parts[1]);
        Figure figure = find(set, peer, elements, threads).orElseGet(() -> {
            Figure added = new Figure();
            added.set = set;
            added.peer = peer;
            added.elements = elements;
            added.threads = threads;
            all.add(added);
            return added;
        });
        if (parts.length == 3) {
            figure.remark = parts[2];
            return;
        }
        figure.sizeBytes = Long.parseLong(parts[2]);
        figure.encode.addAll(numbers(parts[3]));
        figure.decode.addAll(numbers(parts[4]));
    }

    private static List<Double> numbers(String text) {
        return Arrays.stream(text.split(" ", -1)).map(Double::valueOf).toList();
    }

    Optional<Figure> find(String set, String peer, int elements, int threads) {
        return all.stream()
                .filter(each -> each.set.equals(set)
                        && each.peer.equals(peer)
                        && each.elements == elements
                        && each.threads == threads)
                .findFirst();
    }

    List<String> sets() {
        return all.stream().map(each -> each.set).distinct().toList();
    }

    List<String> peers() {
        return all.stream().map(each -> each.peer).distinct().toList();
    }

    /** The numbers of elements measured in one thread. */
    List<Integer> elements(String set) {
        return all.stream()
                .filter(each -> each.set.equals(set) && each.threads == 1)
                .map(each -> each.elements)
                .distinct()
                .sorted()
                .toList();
    }

    /** The numbers of threads measured, and with which number of elements. */
    List<Figure> byThreads(String set, String peer) {
        int elements = all.stream()
                .filter(each -> each.set.equals(set) && each.threads > 1)
                .mapToInt(each -> each.elements)
                .findFirst()
                .orElse(0);
        return all.stream()
                .filter(each -> each.set.equals(set) && each.peer.equals(peer) && each.elements == elements)
                .sorted((a, b) -> a.threads - b.threads)
                .toList();
    }
}
