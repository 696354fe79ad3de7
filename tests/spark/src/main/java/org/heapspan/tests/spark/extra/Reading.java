package org.heapspan.tests.spark.extra;

import java.io.Serializable;
import java.util.TreeMap;

/** A class of a jar that only {@code --jars} names. */
public final class Reading implements Serializable, Comparable<Reading> {
    private final String sensor;
    private final TreeMap<Integer, Double> values = new TreeMap<>();

    public Reading(String sensor, int count) {
        this.sensor = sensor;
        for (int i = 0; i < count; i++) {
            values.put(i, i / 4.0);
        }
    }

    @Override
    public int compareTo(Reading other) {
        return sensor.compareTo(other.sensor);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reading reading && sensor.equals(reading.sensor) && values.equals(reading.values);
    }

    @Override
    public int hashCode() {
        return sensor.hashCode();
    }

    @Override
    public String toString() {
        return sensor + values;
    }
}
