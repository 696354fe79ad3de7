package org.heapspan.image.engine;

import java.util.Arrays;
import java.util.NoSuchElementException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.memory.Pool;
import org.heapspan.image.raw.RawImageReader;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupReader}. Internal; not thread-safe. */
public class RecordGroupReader {
    private static final @Nullable Object[] NO_RECORDS = {};

    private static final int FIRST_RECORDS = 16;

    private final ImageReader reader;

    /** Where the reader goes when the group has been read to its end; null if it serves no other group. */
    private final @Nullable Pool<ImageReader> home;

    private final boolean counted;
    private final FrameSource.OfArray source;
    private final boolean sharing;
    private int recordCount;

    // Records that the direct engine has made: those of one chunk, which stay reachable until the next one's are there.
    // A store for each record taken would cost more than keeping 2 MB at most a little longer.
    private @Nullable Object[] ready = NO_RECORDS;
    private int readyCount;
    private int nextReady;

    /** Set by a call that does not end well: nobody knows where the record behind one that failed begins. */
    private boolean failed;

    /** Set when all has been read: the reader may serve another group. */
    private boolean ended;

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
        Pool<ImageReader> readers = engine.readers(trusted);
        return new RecordGroupReader(readers.take(), readers, true, group, offset, length);
    }

    /**
     * Opens a group.
     *
     * @param home whence the reader came, if it is to go back
     * @param counted whether the statistics want to know
     */
    RecordGroupReader(
            ImageReader reader,
            @Nullable Pool<ImageReader> home,
            boolean counted,
            byte[] group,
            int offset,
            int length) {
        event = counted ? FlightRecording.decode() : null;
        this.reader = reader;
        this.home = home;
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
        if (ended) {
            return false;
        }
        checkIntact();
        return reader.position != reader.limit || !isAtEnd();
    }

    private boolean isAtEnd() {
        try {
            boolean atEnd = reader.atEnd();
            if (atEnd && !source.atEnd()) {
                throw reader.malformed("bytes follow the end of the group");
            }
            if (atEnd) {
                end(recordCount);
            }
            return atEnd;
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
        if (takeReady()) {
            nextReady = 1;
            recordCount++;
            return ready[0];
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
            endOfFrame(recordCount);
        }
        return record;
    }

    /** Takes over the records of a chunk, if the direct engine has made them and nothing is left to do. */
    private boolean takeReady() {
        RawImageReader raw = RawImageReader.of(reader);
        @Nullable Object[] made = raw == null ? null : raw.readReady();
        if (raw == null || made == null) {
            return false;
        }
        ready = made;
        readyCount = raw.readyCount();
        nextReady = 0;
        endOfFrame((long) recordCount + readyCount);
        return true;
    }

    /** Reads all records that are left. */
    public @Nullable Object[] readAll() {
        @Nullable Object[] records = NO_RECORDS;
        int count = 0;
        int start = reader.position;
        while (hasNext()) {
            if (nextReady == readyCount && !takeReady()) {
                if (count == records.length) {
                    records = Arrays.copyOf(records, expectedCount(count, start));
                }
                records[count++] = next();
                count = readRow(records, count);
                continue;
            }
            @Nullable Object[] made = ready;
            int first = nextReady;
            int added = readyCount - first;
            recordCount += added;
            ready = NO_RECORDS;
            readyCount = 0;
            nextReady = 0;
            if (count == 0 && ended && added == made.length) {
                // All there are, in an array that nobody else knows.
                return made;
            }
            records = withRoom(records, count, added);
            System.arraycopy(made, first, records, count, added);
            count += added;
        }
        return count == records.length ? records : Arrays.copyOf(records, count);
    }

    /** Reads records of a kind that come in a row, as long as there is room for them. */
    private int readRow(@Nullable Object[] records, int count) {
        if (sharing || ended) {
            return count;
        }
        try {
            return reader.readRow(records, count);
        } catch (StackOverflowError e) {
            failed = true;
            throw ImageEngine.tooDeep(e);
        } catch (Throwable e) {
            failed = true;
            throw e;
        } finally {
            recordCount += reader.rowEnd() - count;
        }
    }

    /**
     * How many records there are in all if those that are left in the frame are as large as those before; more than {@code count}, and no
     * more than there are bytes.
     *
     * @param start where the first of them began, if that was in this frame
     */
    private int expectedCount(int count, int start) {
        long readBytes = (long) reader.position - start;
        long leftBytes = (long) reader.limit - reader.position;
        if (count == 0 || readBytes < count) {
            return Math.max(FIRST_RECORDS, 2 * count);
        }
        return (int) Math.min(count + Math.max(leftBytes * count / readBytes, FIRST_RECORDS), Integer.MAX_VALUE - 16);
    }

    private static @Nullable Object[] withRoom(@Nullable Object[] records, int count, int more) {
        return more <= records.length - count
                ? records
                : Arrays.copyOf(records, Math.max(count + more, 2 * records.length));
    }

    /** Called when a frame has been read to its end, which may hold further records all the same if it is raw. */
    private void endOfFrame(long records) {
        if (reader.hasRecord()) {
            return;
        }
        if (source.atEnd()) {
            if (!reader.isWithinRecord()) {
                end(records);
            }
        } else if (counted && home == null) {
            // Nobody may ever read the rest.
            EngineCounters.handOver(reader);
        }
    }

    private void end(long records) {
        if (ended) {
            return;
        }
        ended = true;
        if (counted) {
            reader.tally.addImage(reader.encoding(), reader.imageBytes(), records);
        }
        if (event != null) {
            event.end(reader, records, null);
            event = null;
        }
        if (home != null) {
            reader.release();
            home.give(reader);
        } else if (counted) {
            EngineCounters.handOver(reader);
        }
    }

    /** How many records have been read. */
    final int recordCount() {
        return recordCount;
    }

    private void checkIntact() {
        if (failed) {
            throw new HeapspanException(
                    Category.USAGE,
                    "record " + recordCount
                            + " of the group could not be read, so the records after it cannot be read; write records"
                            + " that may fail as separate groups");
        }
    }
}
