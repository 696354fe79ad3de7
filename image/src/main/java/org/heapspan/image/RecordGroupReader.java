package org.heapspan.image;

import java.util.NoSuchElementException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupReader}. Internal; not thread-safe. */
public class RecordGroupReader {
    private final ImageReader reader;
    private final boolean counted;
    private final FrameSource.OfArray source;
    private final boolean sharing;
    private int recordCount;

    // Records that the direct engine has made.
    private @Nullable Object[] ready = {};
    private int readyCount;
    private int nextReady;

    /** Set by a call that does not end well: nobody knows where the record behind one that failed begins. */
    private boolean failed;

    // What counters and events have to be told.
    private boolean told;
    private @Nullable DecodeEvent event;

    /**
     * Opens a group.
     *
     * @param engine the options
     * @param group array with its bytes
     * @param offset where they begin
     * @param length how many there are
     * @param trusted whether a process wrote them that the caller trusts
     */
    public static RecordGroupReader open(ImageEngine engine, byte[] group, int offset, int length, boolean trusted) {
        Verification verification = trusted ? engine.verification() : null;
        if (verification != null && verification.chooses(group, offset, length)) {
            return new VerifyingGroupReader(engine, verification, group, offset, length);
        }
        return new RecordGroupReader(
                trusted ? engine.newTrustingReader() : engine.newReader(null), true, group, offset, length);
    }

    /**
     * Opens a group.
     *
     * @param counted whether the statistics want to know
     */
    RecordGroupReader(ImageReader reader, boolean counted, byte[] group, int offset, int length) {
        event = counted ? FlightRecording.decode() : null;
        this.reader = reader;
        this.counted = counted;
        source = new FrameSource.OfArray(group, offset, length);
        reader.begin(source);
        reader.expectRecords();
        sharing = (reader.flags() & ImageFormat.FLAG_GROUP_SCOPE) != 0;
    }

    /** Whether another record follows. */
    public boolean hasNext() {
        if (nextReady < readyCount) {
            return true;
        }
        checkIntact();
        return reader.position != reader.limit || !isAtEnd();
    }

    private boolean isAtEnd() {
        try {
            boolean ended = reader.atEnd();
            if (ended && !source.atEnd()) {
                throw reader.malformed("bytes follow the end of the group");
            }
            if (ended) {
                tellEnd(recordCount);
            }
            return ended;
        } catch (Throwable e) {
            failed = true;
            throw e;
        }
    }

    /** Reads a record. */
    public @Nullable Object next() {
        int index = nextReady;
        if (index < readyCount) {
            nextReady = index + 1;
            recordCount++;
            return ready[index];
        }
        return readNext();
    }

    private @Nullable Object readNext() {
        if (!hasNext()) {
            throw new NoSuchElementException("the group has no further record");
        }
        RawImageReader raw = reader.raw();
        @Nullable Object[] made = raw == null ? null : raw.readReady();
        if (raw != null && made != null) {
            ready = made;
            readyCount = raw.readyCount();
            nextReady = 1;
            recordCount++;
            tellPart(recordCount - 1L + readyCount);
            return made[0];
        }
        Object record;
        try {
            record = sharing ? reader.readRoot() : reader.readRecord();
        } catch (StackOverflowError e) {
            failed = true;
            throw ImageEngine.tooDeep(e);
        } catch (Throwable e) {
            failed = true;
            throw e;
        }
        recordCount++;
        if (reader.position == reader.limit) {
            tellPart(recordCount);
        }
        return record;
    }

    /** Called when a frame has been read to its end, which may hold further records all the same if it is raw. */
    private void tellPart(long records) {
        if (reader.hasRecord()) {
            return;
        }
        if (source.atEnd()) {
            tellEnd(records);
        } else if (counted) {
            // Nobody may ever read the rest.
            EngineCounters.handOver(reader);
        }
    }

    private void tellEnd(long records) {
        if (told || !counted) {
            return;
        }
        told = true;
        reader.tally.addImage(reader.encoding(), reader.imageBytes(), records);
        EngineCounters.handOver(reader);
        if (event != null) {
            event.end(reader, records, null);
            event = null;
        }
    }

    /** How many records have been read. */
    final int recordCount() {
        return recordCount;
    }

    /** How many chunks so far the direct engine has read. */
    final int carvedChunks() {
        RawImageReader raw = reader.raw();
        return raw == null ? 0 : raw.carvedChunks();
    }

    private void checkIntact() {
        if (failed) {
            throw new HeapspanException(
                    Category.USAGE,
                    "record " + recordCount + " of the group could not be read, and records behind it cannot be found;"
                            + " put records that may fail into groups of their own");
        }
    }
}
