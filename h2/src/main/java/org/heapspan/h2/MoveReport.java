package org.heapspan.h2;

/**
 * The result of a move.
 *
 * @param movedRoots handles whose roots are in the second heap now
 * @param refusedRoots handles whose roots stay on the Java heap, since an object in their graph cannot be stored or their image is longer than
 *     the heap takes; they are not tried again before an update
 * @param imageBytes what the moved ones take
 */
public record MoveReport(long movedRoots, long refusedRoots, long imageBytes) {}
