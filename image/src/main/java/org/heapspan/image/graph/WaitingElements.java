package org.heapspan.image.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A stack of elements that will be written: entries of maps, and values of lists that other threads may change. A codec pushes the elements
 * that it finds, writes them from the stack, and then restores the former size of the stack. Belongs to an {@link ImageWriter}; not
 * thread-safe.
 */
public final class WaitingElements {
    private static final int FIRST_PLACES = 64;
    private static final int RENEWED_PLACES = 1024;

    private Object[] elements = new Object[FIRST_PLACES];
    private int count;

    WaitingElements() {}

    public int count() {
        return count;
    }

    /** The elements, up to {@link #count}; another array after a push. */
    public Object[] array() {
        return elements;
    }

    public void push(@Nullable Object element) {
        int index = count;
        if (index == elements.length) {
            elements = Arrays.copyOf(elements, index * 2);
        }
        elements[index] = element;
        count = index + 1;
    }

    public void pushAll(Object[] source, int sourceCount) {
        int first = count;
        if (sourceCount > elements.length - first) {
            elements = Arrays.copyOf(elements, Math.max(first + sourceCount, elements.length * 2));
        }
        System.arraycopy(source, 0, elements, first, sourceCount);
        count = first + sourceCount;
    }

    /** Drops the elements from an index on. */
    public void cutTo(int first) {
        if (first < count) {
            Arrays.fill(elements, first, count, null);
            count = first;
        }
    }

    /** Takes a young array, as long as there are no elements: stores into it cost the collector's barriers least. */
    void renew() {
        if (elements.length <= RENEWED_PLACES) {
            elements = new Object[elements.length];
        }
    }
}
