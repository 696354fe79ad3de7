package org.heapspan.spark.report;

import org.heapspan.spark.report.ExecutorReport.Fact;
import org.heapspan.spark.settings.HeapspanConfiguration;

/**
 * What became of a part of Heapspan when a JVM of the application started. The log and the tab say the same.
 *
 * @param name which part
 * @param isOn whether it works; if not, Spark does without it
 * @param why it is off, or what it works with; empty where there is nothing to say
 */
public record Part(String name, boolean isOn, String why) {
    public static Part on(String name, String how) {
        return new Part(name, true, how);
    }

    public static Part off(String name, String why) {
        return new Part(name, false, why);
    }

    /** A part that its switch turns off. */
    public static Part switchedOff(String name, HeapspanConfiguration.Key<Boolean> key) {
        return off(name, key.name() + "=false");
    }

    String state() {
        return isOn ? "on" : "off";
    }

    public Fact fact() {
        return new Fact(name, state(), why);
    }

    @Override
    public String toString() {
        return name + " " + state() + (why.isEmpty() ? "" : " (" + why + ")");
    }
}
