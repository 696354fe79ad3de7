package org.heapspan.image.format;

/**
 * The account of what an image announces, so that memory is given only where bytes of the image pay for it, each of them once.
 *
 * <p>Whoever makes room for elements on the word of an image claims the bytes that they take at least. A claim begins where the
 * reader stands or where the claim before ends, whichever comes later: each element has a byte of its own, so that claims of containers
 * within one another, side by side or with bodies that come later never share one. Nothing is settled element by element.
 *
 * <p>Methods of the JDK's classes make tables of a size that the image announces, and copies of what it refers to. What they
 * take is added up for the whole image, which has to have a byte for each {@value #MEMORY_PER_BYTE} bytes of memory.
 */
public final class ImageClaims {
    /**
     * The most memory in tables and copies for a byte of an image. A {@code HashSet} read by its own method asks for up to eight slots
     * for an element, which takes two bytes.
     */
    private static final int MEMORY_PER_BYTE = 16;

    /** So much is not worth counting: tables may have a capacity beyond their contents. */
    private static final long FREE_MEMORY_BYTES = 256 << 10;

    /** The most elements for a byte of an image that its iterators pass: so many of them may have passed all of a list. */
    private static final int STEPS_PER_BYTE = 64;

    private static final long FREE_STEPS = 1 << 20;

    private long claimedEnd;
    private long memoryBytes;
    private long steps;

    public void begin() {
        claimedEnd = 0;
        memoryBytes = 0;
        steps = 0;
    }

    /**
     * Where a claim would end.
     *
     * @param position of the reader in the image
     */
    public long endOf(long position, long sizeBytes) {
        return Math.max(claimedEnd, position) + sizeBytes;
    }

    /** Makes a claim whose end is known to lie within the image. */
    public void claimTo(long end) {
        claimedEnd = end;
    }

    /** How long the image has to be if so much more memory is taken. */
    public long sizeFor(long moreMemoryBytes) {
        return (memoryBytes + moreMemoryBytes - FREE_MEMORY_BYTES) / MEMORY_PER_BYTE;
    }

    public void take(long moreMemoryBytes) {
        memoryBytes += moreMemoryBytes;
    }

    /** Takes notice of elements that an iterator passes; returns how long the image has to be. */
    public long takeSteps(long moreSteps) {
        steps += moreSteps;
        return (steps - FREE_STEPS) / STEPS_PER_BYTE;
    }
}
