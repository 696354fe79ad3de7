package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.Statistics;

/** How long native programs take to compile, with a note on the run; the content of {@code native-compile.json}. A bean. */
final class NativeCompileFigures {
    /** In what time each program should compile. */
    private static final double GOAL_SECONDS = 2;

    public RunNote run = new RunNote();

    /** Seconds of the command that built each program with precompiled headers, in the order of measuring. */
    public Map<String, List<Double>> seconds = new LinkedHashMap<>();

    /** Seconds of the first build, which compiles the headers too. */
    public double firstSeconds;

    /**
     * The figures in this file.
     *
     * @throws IOException if there is none
     */
    static NativeCompileFigures load(Path json) throws IOException {
        return FigureFile.read(json, NativeCompileFigures.class, "native-compile");
    }

    void save(Path json) throws IOException {
        run.end();
        FigureFile.write(json, this);
    }

    void add(String program, double elapsed) {
        seconds.computeIfAbsent(program, any -> new ArrayList<>()).add(elapsed);
    }

    /** As Markdown. */
    String tables() {
        StringBuilder text = new StringBuilder(RunNote.markdown(List.of(run)));
        text.append("\n| program | seconds, median | least | most |\n|---|--:|--:|--:|\n");
        int met = 0;
        for (Map.Entry<String, List<Double>> each : seconds.entrySet()) {
            double median = Statistics.median(each.getValue());
            met += median <= GOAL_SECONDS ? 1 : 0;
            String mark = median > GOAL_SECONDS ? "**" : "";
            text.append(String.format(
                    Locale.ROOT,
                    "| `%s.cpp` | %s%.1f%s | %.1f | %.1f |%n",
                    each.getKey(),
                    mark,
                    median,
                    mark,
                    Collections.min(each.getValue()),
                    Collections.max(each.getValue())));
        }
        text.append(String.format(
                Locale.ROOT,
                "%n%d of %d programs compile in at most %.0f s. The first build, which compiles the headers too, took %.1f s.%n",
                met,
                seconds.size(),
                GOAL_SECONDS,
                firstSeconds));
        return text.toString();
    }
}
