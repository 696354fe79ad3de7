package org.heapspan.benchmarks.data;

import java.util.List;
import java.util.SplittableRandom;

/** One record: ten million doubles, 80 MB. */
final class DoubleArraySet implements DataSet {
    private static final int LENGTH = 10_000_000;

    @Override
    public String name() {
        return "doubles";
    }

    @Override
    public String title() {
        return "double[] of 80 MB (1 record)";
    }

    @Override
    public Object[] records() {
        SplittableRandom random = new SplittableRandom(80);
        double[] values = new double[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            values[i] = random.nextDouble();
        }
        return new Object[] {values};
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(double[].class);
    }
}
