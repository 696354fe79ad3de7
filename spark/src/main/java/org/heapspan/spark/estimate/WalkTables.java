package org.heapspan.spark.estimate;

/** What the walks of a thread use one after the other. Holds no object. */
final class WalkTables {
    final VisitedPlaces visited = new VisitedPlaces();
    final SampledIndexes samples = new SampledIndexes();

    /** Whether a walk uses them. */
    boolean areInUse;
}
