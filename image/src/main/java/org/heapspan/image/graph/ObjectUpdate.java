package org.heapspan.image.graph;

/** Sets values of an object after its graph is complete. */
public interface ObjectUpdate {
    /** Updates an object of the class that this is for. */
    void update(Object object);
}
