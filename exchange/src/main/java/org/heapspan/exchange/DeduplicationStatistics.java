package org.heapspan.exchange;

/**
 * What sharing of values has spared the objects that a {@link GlobalHeap} has stored, since it was connected.
 *
 * @param references that lead to shared values
 * @param copies of values that these objects would hold otherwise: one for each object and value
 * @param savedBytes an estimate of the bytes of these copies: it takes the average length of the values that were shared together
 * @param sharedValues that this heap has published
 * @param sharedBytes of their images
 */
public record DeduplicationStatistics(
        long references, long copies, long savedBytes, long sharedValues, long sharedBytes) {
    DeduplicationStatistics plus(long moreReferences, long moreCopies, long moreBytes) {
        return new DeduplicationStatistics(
                references + moreReferences, copies + moreCopies, savedBytes + moreBytes, sharedValues, sharedBytes);
    }

    DeduplicationStatistics plusShared(long moreValues, long moreBytes) {
        return new DeduplicationStatistics(
                references, copies, savedBytes, sharedValues + moreValues, sharedBytes + moreBytes);
    }
}
