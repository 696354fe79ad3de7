package org.heapspan.h2;

/**
 * What groups roots that live and die together: they move to the second heap together and share regions there (TeraHeap section 3.2). The
 * number has no meaning to the heap; an engine takes that of a data set, a stage or a superstep.
 *
 * @param value any number
 */
public record Label(long value) {
    /**
     * Makes a label.
     *
     * @param value any number
     * @return the label
     */
    public static Label of(long value) {
        return new Label(value);
    }
}
