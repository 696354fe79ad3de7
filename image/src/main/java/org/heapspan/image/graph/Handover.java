package org.heapspan.image.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * What the writer of a copy passes to its reader in addition to the bytes. Within one JVM the reader gets the classes themselves. It does
 * not look for them by name, because several classes may have the same name. Belongs to one copy.
 */
public final class Handover {
    private static final Codec[] NO_TYPES = {};

    private final List<Class<?>> classes = new ArrayList<>(0);
    private Codec[] types = NO_TYPES;

    /** Takes a class that travels as a value; gives its number. */
    int put(Class<?> value) {
        classes.add(value);
        return classes.size() - 1;
    }

    /** The class of a number that {@link #put} has given. */
    Class<?> classAt(int number) {
        return classes.get(number);
    }

    /** Sets the codecs that read the objects, in the order of the image's types. */
    void setTypes(Codec[] readers) {
        types = readers;
    }

    Codec[] types() {
        return types;
    }
}
