package org.heapspan.spark;

import java.io.Serializable;

/** A class that tests define again by a loader of their own, as {@code --jars} does: outside of all others, whose nest it would be in. */
public record Place(int x, double y) implements Serializable {}
