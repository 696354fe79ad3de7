package org.heapspan.benchmarks;

import java.util.List;

/** A figure that knows of which run it is; a bean. */
public abstract class OfRun {
    /** The number of its note among those of the file. */
    public int run;

    /** Forgets the notes of runs of which no figure is left, but never that of the latest, and numbers the others anew. */
    public static void dropUnused(List<RunNote> runs, List<? extends OfRun> figures) {
        for (int i = runs.size() - 2; i >= 0; i--) {
            int number = i;
            if (figures.stream().noneMatch(each -> each.run == number)) {
                runs.remove(number);
                figures.stream().filter(each -> each.run > number).forEach(each -> each.run--);
            }
        }
    }
}
