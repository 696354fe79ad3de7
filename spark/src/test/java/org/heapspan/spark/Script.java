package org.heapspan.spark;

import java.io.Serializable;
import java.util.function.Supplier;

/** A class of which several loaders have a version of their own, as sessions have of what their users type. */
public final class Script implements Serializable, Supplier<String> {
    private static final long serialVersionUID = 1L;

    public int number = 7;

    @Override
    public String get() {
        return "script " + number;
    }
}
