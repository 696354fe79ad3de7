package org.heapspan.exchange;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An object graph with shared objects and a cycle. */
final class Model implements Serializable {
    private static final long serialVersionUID = 1L;

    final String name;
    final double[] weights;
    final Map<String, List<Integer>> index = new TreeMap<>();
    final Model self = this;

    Model(String name, int size) {
        this.name = name;
        weights = new double[size];
        for (int i = 0; i < size; i++) {
            weights[i] = Math.sin(i);
            index.computeIfAbsent("word" + i % 100, word -> new ArrayList<>()).add(i);
        }
    }

    boolean isSame(Model other) {
        return other != this
                && other.self == other
                && other.name.equals(name)
                && java.util.Arrays.equals(other.weights, weights)
                && other.index.equals(index);
    }
}
