package org.heapspan.h2;

/**
 * A number that groups roots which are freed together. They are moved to the second heap together, and share regions there (TeraHeap section
 * 3.2). The program chooses the number, for example that of a data set, a stage or a superstep.
 *
 * @param value any number except {@link Long#MIN_VALUE}, which {@linkplain SharedObjects shared objects} have
 */
public record Label(long value) {
    /**
     * Makes a label.
     *
     * @param value any number except {@link Long#MIN_VALUE}
     * @return the label
     */
    public static Label of(long value) {
        return new Label(value);
    }
}
