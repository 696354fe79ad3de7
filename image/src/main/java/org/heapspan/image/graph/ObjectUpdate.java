package org.heapspan.image.graph;

/** Gives an object values after its graph is complete. */
public interface ObjectUpdate {
    /** Updates an object of the class that this is for. */
    void update(Object object);
}
