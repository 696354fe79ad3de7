package org.heapspan.spark;

import java.io.Serializable;

/**
 * What was done in both directions.
 *
 * @param encoded what became bytes
 * @param decoded what became objects again
 */
record Progress(Work encoded, Work decoded) implements Serializable {
    static final Progress NONE = new Progress(Work.NONE, Work.NONE);

    Progress plus(Progress other) {
        return new Progress(encoded.plus(other.encoded), decoded.plus(other.decoded));
    }

    Progress minus(Progress other) {
        return new Progress(encoded.minus(other.encoded), decoded.minus(other.decoded));
    }

    boolean isNone() {
        return equals(NONE);
    }
}
