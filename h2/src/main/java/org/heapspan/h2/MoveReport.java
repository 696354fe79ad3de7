package org.heapspan.h2;

/**
 * The result of a move.
 *
 * @param movedRoots handles whose roots are in the second heap now
 * @param refusedRoots handles whose roots stay on the Java heap, because an object in their graph cannot be stored, or their image is too long;
 *     they are tried again only after an update
 * @param imageBytes bytes of the moved roots
 */
public record MoveReport(long movedRoots, long refusedRoots, long imageBytes) {}
