package org.heapspan.image.format;

/**
 * What a reader is willing to take.
 *
 * @param maxBytes bytes of an image
 * @param maxObjects objects whose identity is kept
 * @param maxArrayLength elements of one array or collection
 */
public record Limits(long maxBytes, long maxObjects, int maxArrayLength) {
    /** No limits but those of the JVM. */
    public static final Limits NONE = new Limits(Long.MAX_VALUE, Integer.MAX_VALUE - 16, Integer.MAX_VALUE);
}
