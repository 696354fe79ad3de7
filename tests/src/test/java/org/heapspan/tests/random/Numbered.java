package org.heapspan.tests.random;

import java.io.Serializable;

/** Root of the generated classes: the number tells which object of a graph this is. */
public abstract class Numbered implements Serializable {
    private static final long serialVersionUID = 1;

    /** Unique within a graph. */
    public int number;

    /** An enum for generated fields. */
    public enum Kind {
        FIRST,
        SECOND {
            @Override
            public String toString() {
                return "the second";
            }
        },
        THIRD
    }
}
