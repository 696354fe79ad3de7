package org.heapspan.spark.estimate;

/** Tables that the walks of one thread share, one walk after the other. They refer to no objects. */
final class WalkTables {
    final VisitedPlaces visited = new VisitedPlaces();
    final SampledIndexes samples = new SampledIndexes();

    /** Whether a walk is using them. */
    boolean areInUse;
}
