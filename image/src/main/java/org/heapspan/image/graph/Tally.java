package org.heapspan.image.graph;

import org.heapspan.EngineStatistics.Traffic;
import org.heapspan.image.format.ImageFormat;

/**
 * Counts of one reader or writer that {@code EngineCounters} has not added up yet. They are plain fields, because hot paths of all threads
 * count. Only the thread that uses the reader or writer writes them. Any thread may read them.
 */
public final class Tally {
    private long compactImages;
    private long compactBytes;
    private long rawImages;
    private long rawBytes;

    /** Records beyond one for each image. */
    private long moreCompactRecords;

    private long moreRawRecords;
    private long carvedChunks;

    /** Counts an image of one record, of {@code ImageFormat.ENCODING_*}. */
    public void addImage(int encoding, long bytes) {
        if (encoding == ImageFormat.ENCODING_RAW) {
            rawImages++;
            rawBytes += bytes;
        } else {
            compactImages++;
            compactBytes += bytes;
        }
    }

    /** Counts an image of any number of records. */
    public void addImage(int encoding, long bytes, long records) {
        addImage(encoding, bytes);
        if (encoding == ImageFormat.ENCODING_RAW) {
            moreRawRecords += records - 1;
        } else {
            moreCompactRecords += records - 1;
        }
    }

    public void addCarvedChunks(int chunks) {
        carvedChunks += chunks;
    }

    /** Adds what another has counted. */
    public void add(Tally other) {
        compactImages += other.compactImages;
        compactBytes += other.compactBytes;
        rawImages += other.rawImages;
        rawBytes += other.rawBytes;
        moreCompactRecords += other.moreCompactRecords;
        moreRawRecords += other.moreRawRecords;
        carvedChunks += other.carvedChunks;
    }

    /** Adds what another has counted, which then begins anew. */
    public void take(Tally other) {
        add(other);
        other.compactImages = 0;
        other.compactBytes = 0;
        other.rawImages = 0;
        other.rawBytes = 0;
        other.moreCompactRecords = 0;
        other.moreRawRecords = 0;
        other.carvedChunks = 0;
    }

    public Traffic compact() {
        return new Traffic(compactImages, compactBytes, compactImages + moreCompactRecords);
    }

    public Traffic raw() {
        return new Traffic(rawImages, rawBytes, rawImages + moreRawRecords);
    }

    public long carvedChunks() {
        return carvedChunks;
    }
}
