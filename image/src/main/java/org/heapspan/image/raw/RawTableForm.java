package org.heapspan.image.raw;

import org.jspecify.annotations.Nullable;

/** Copies the table of a hash map: an array of references to nodes, computed from the entries of the map. */
final class RawTableForm extends RawArrayForm {
    private final int elementBytes;

    RawTableForm(RawLayout layout, @Nullable Class<?> nodeClass) {
        super(layout, arrayOf(nodeClass));
        elementBytes = layout.heap().referenceSizeBytes();
    }

    private static Class<?> arrayOf(@Nullable Class<?> nodeClass) {
        if (nodeClass == null) {
            throw new IllegalStateException("a vetted map has nodes");
        }
        return nodeClass.arrayType();
    }

    @Override
    int length(Object copy) {
        return ((RawMapCopy) copy).bins.length;
    }

    @Override
    void writeElements(RawAddressedWriter writer, Object object, int position, int first, int count) {
        RawMapCopy copy = (RawMapCopy) object;
        int p = position;
        for (int bin = first; bin < first + count; bin++) {
            int number = copy.bins[bin];
            if (number > 0) {
                writer.writePlace(p, copy.place(number - 1));
            }
            p += elementBytes;
        }
    }
}
