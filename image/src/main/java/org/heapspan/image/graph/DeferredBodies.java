package org.heapspan.image.graph;

import java.util.Arrays;

/**
 * Objects whose bodies are at the end of their section, in the order in which they were found. {@link ImageWriter} and {@link ImageReader}
 * use it. More objects can be added during an iteration. Not thread-safe.
 */
final class DeferredBodies {
    private static final int LEAST_PLACES = 16;

    /** So many places are kept for the next image; behind so many, places are used again. */
    private static final int MANY_PLACES = 1024;

    private Codec[] codecs = new Codec[LEAST_PLACES];
    private Object[] objects = new Object[LEAST_PLACES];
    private int count;

    /** Whether there has been a codec since the last {@link #clear}. */
    private boolean used;

    /** The index of what is added next. */
    int count() {
        return count;
    }

    void add(Codec codec, Object object) {
        int index = count;
        if (index == objects.length) {
            objects = Arrays.copyOf(objects, index * 2);
            codecs = Arrays.copyOf(codecs, index * 2);
        }
        objects[index] = object;
        codecs[index] = codec;
        count = index + 1;
        used = true;
    }

    Codec codec(int index) {
        return codecs[index];
    }

    /** Gives an object away, whose body comes now. */
    Object take(int index) {
        Object object = objects[index];
        objects[index] = null;
        return object;
    }

    /**
     * The index behind one whose object has been taken.
     *
     * @param first where the section's objects begin, all of which up to {@code index} have been taken
     */
    int next(int first, int index) {
        if (index < first + MANY_PLACES || index - first <= count - index) {
            return index + 1;
        }
        // Use the places again, so that the queue grows with the width of the graph and not with its length.
        int rest = count - index - 1;
        System.arraycopy(objects, index + 1, objects, first, rest);
        System.arraycopy(codecs, index + 1, codecs, first, rest);
        Arrays.fill(objects, first + rest, count, null);
        count = first + rest;
        return first;
    }

    /** Ends a section, all objects of which have been taken. */
    void endSection(int first) {
        count = first;
    }

    /** Forgets everything, and lets go of what is too large to keep. */
    void clear() {
        if (objects.length > MANY_PLACES) {
            objects = new Object[LEAST_PLACES];
            codecs = new Codec[LEAST_PLACES];
        } else if (used) {
            Arrays.fill(objects, 0, count, null);
            Arrays.fill(codecs, null);
        }
        used = false;
        count = 0;
    }
}
