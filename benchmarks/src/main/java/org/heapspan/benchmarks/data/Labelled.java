package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** Five characters and a number: an object with an array of its own. */
public final class Labelled implements Serializable {
    private static final long serialVersionUID = 1L;

    public char[] label;
    public float value;

    /** For serializers that call a constructor. */
    public Labelled() {
        this(0);
    }

    /** One whose contents follow from a number. */
    public Labelled(int number) {
        label = String.format("%05d", number % 100_000).toCharArray();
        value = number / 3f;
    }
}
