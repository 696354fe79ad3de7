package org.heapspan.vm;

/** The garbage collector of the running JVM. */
public enum Collector {
    /** {@code -XX:+UseG1GC}, the default of server-class machines. */
    G1("G1", true),
    /** {@code -XX:+UseParallelGC}. */
    PARALLEL("Parallel", true),
    /** {@code -XX:+UseSerialGC}, the default of small machines. */
    SERIAL("Serial", true),
    /** {@code -XX:+UseEpsilonGC}: never collects, so nothing ever moves. */
    EPSILON("Epsilon", true),
    /** {@code -XX:+UseZGC}: moves objects while the program runs. */
    Z("ZGC", false),
    /** {@code -XX:+UseShenandoahGC}: moves objects while the program runs. */
    SHENANDOAH("Shenandoah", false),
    /** Not HotSpot, or a collector this version does not know; treated as one that moves objects at any time. */
    UNKNOWN("unknown", false);

    private final String displayName;
    private final boolean movesOnlyInPauses;

    Collector(String displayName, boolean movesOnlyInPauses) {
        this.displayName = displayName;
        this.movesOnlyInPauses = movesOnlyInPauses;
    }

    /** The name people use for it, such as {@code ZGC}. */
    public String displayName() {
        return displayName;
    }

    /** Whether objects keep their addresses while the program runs and move only while all its threads are stopped. */
    public boolean movesOnlyInPauses() {
        return movesOnlyInPauses;
    }
}
