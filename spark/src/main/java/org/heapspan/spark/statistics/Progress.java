package org.heapspan.spark.statistics;

import java.io.Serializable;

/**
 * What was done in both directions.
 *
 * @param encoded what became bytes
 * @param decoded what became objects again
 */
public record Progress(Work encoded, Work decoded) implements Serializable {
    public static final Progress NONE = new Progress(Work.NONE, Work.NONE);

    public Progress plus(Progress other) {
        return new Progress(encoded.plus(other.encoded), decoded.plus(other.decoded));
    }

    public Progress minus(Progress other) {
        return new Progress(encoded.minus(other.encoded), decoded.minus(other.decoded));
    }

    public boolean isNone() {
        return encoded.isNone() && decoded.isNone();
    }
}
