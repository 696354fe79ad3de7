package org.heapspan.tests.spark.extra;

import java.io.Serializable;

/** A class that a test has in another version too, with fields of other types. */
public final class Gauge implements Serializable {
    private final String sensor;
    private final int level;

    public Gauge(String sensor, int level) {
        this.sensor = sensor;
        this.level = level;
    }

    @Override
    public String toString() {
        return sensor + level;
    }
}
