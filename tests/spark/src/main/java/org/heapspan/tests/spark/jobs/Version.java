package org.heapspan.tests.spark.jobs;

import java.io.Serializable;

/** A class of which {@link VersionLoader}s have versions of their own. */
public final class Version implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int number;

    public Version(int number) {
        this.number = number;
    }

    @Override
    public String toString() {
        return "version of " + number;
    }
}
