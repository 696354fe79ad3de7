package org.heapspan.benchmarks.spark;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;

/** Points as text, by random numbers, the same each time: one on each line, its numbers parted by blanks. */
final class MadeUpPoints {
    /** In space, around eight centers. */
    static final String IN_SPACE = "points-in-space.txt";

    /** A class, 1 or -1, and ten coordinates. */
    static final String OF_TWO_CLASSES = "points-of-two-classes.txt";

    private static final int SEED = 1957;
    private static final int POINTS_IN_SPACE = 2_000_000;
    private static final int CENTERS = 8;
    private static final int POINTS_OF_TWO_CLASSES = 1_000_000;
    private static final int DIMENSIONS_OF_CLASSES = 10;

    private MadeUpPoints() {}

    /** Writes what is not there yet, so many times as much as usual. */
    static void write(Path folder, int factor) throws IOException {
        Files.createDirectories(folder);
        UnpackedData.put(folder.resolve(IN_SPACE), target -> inSpace(target, factor * POINTS_IN_SPACE));
        UnpackedData.put(
                folder.resolve(OF_TWO_CLASSES), target -> ofTwoClasses(target, factor * POINTS_OF_TWO_CLASSES));
    }

    private static void inSpace(Path target, int points) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        double[][] centers = new double[CENTERS][3];
        for (double[] center : centers) {
            for (int i = 0; i < center.length; i++) {
                center[i] = 10 * random.nextDouble();
            }
        }
        try (BufferedWriter out = Files.newBufferedWriter(target)) {
            for (int i = 0; i < points; i++) {
                double[] center = centers[random.nextInt(CENTERS)];
                for (int d = 0; d < center.length; d++) {
                    out.append(d == 0 ? "" : " ").append(number(center[d] + random.nextGaussian()));
                }
                out.append('\n');
            }
        }
    }

    private static void ofTwoClasses(Path target, int points) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        try (BufferedWriter out = Files.newBufferedWriter(target)) {
            for (int i = 0; i < points; i++) {
                int label = random.nextBoolean() ? 1 : -1;
                out.append(String.valueOf(label));
                for (int d = 0; d < DIMENSIONS_OF_CLASSES; d++) {
                    out.append(' ').append(number(random.nextGaussian() + 0.7 * label));
                }
                out.append('\n');
            }
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.5f", value);
    }
}
