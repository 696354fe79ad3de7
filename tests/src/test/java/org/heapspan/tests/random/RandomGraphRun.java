package org.heapspan.tests.random;

import java.util.List;
import java.util.SplittableRandom;

/** Generates classes and graphs, has them copied and compares: as many as are asked for, however long it takes. */
final class RandomGraphRun {

    private static final int CLASSES_PER_LOADER = 100;
    private static final int GRAPHS_PER_LOADER = 20;

    private final Copier copier;

    /** Copies a graph by whatever is under test. */
    interface Copier {
        Object copy(Object root, ClassLoader loader) throws Exception;
    }

    /** What was done; the failure is empty when all was well. */
    record Outcome(long classes, long graphs, long objects, String failure) {}

    RandomGraphRun(Copier copier) {
        this.copier = copier;
    }

    Outcome run(long seed, int classCount) throws ReflectiveOperationException {
        SplittableRandom seeds = new SplittableRandom(seed);
        long classes = 0;
        long graphs = 0;
        long objects = 0;
        while (classes < classCount) {
            long loaderSeed = seeds.nextLong();
            GeneratedClasses loader = new GeneratedClasses(loaderSeed, CLASSES_PER_LOADER, "C" + classes + "_");
            classes += CLASSES_PER_LOADER;
            for (int i = 0; i < GRAPHS_PER_LOADER; i++) {
                long graphSeed = seeds.nextLong();
                // The first graph is large enough to hold every class of the loader.
                int size = i == 0 ? 3 * CLASSES_PER_LOADER : 1 + (int) Long.remainderUnsigned(graphSeed, 150);
                String failure = roundTrip(loader, loader.classes(), graphSeed, size);
                graphs++;
                objects += size;
                if (!failure.isEmpty()) {
                    return new Outcome(
                            classes,
                            graphs,
                            objects,
                            "seed " + seed + ", loader seed " + loaderSeed + ", graph seed " + graphSeed + ", " + size
                                    + " objects: " + failure);
                }
            }
        }
        return new Outcome(classes, graphs, objects, "");
    }

    private String roundTrip(ClassLoader loader, List<Class<? extends Numbered>> classes, long seed, int size)
            throws ReflectiveOperationException {
        Object original = new RandomGraph(seed).make(classes, size);
        Object copy;
        try {
            copy = copier.copy(original, loader);
        } catch (Exception | StackOverflowError e) {
            return "copying failed: " + trace(e);
        }
        String difference = Isomorphism.difference(original, copy, true);
        return difference.isEmpty() ? "" : "the copy differs at " + difference;
    }

    private static String trace(Throwable e) {
        java.io.StringWriter text = new java.io.StringWriter();
        e.printStackTrace(new java.io.PrintWriter(text));
        String whole = text.toString();
        return whole.length() > 4000 ? whole.substring(0, 4000) : whole;
    }
}
