package org.heapspan.image.engine;

import java.nio.ByteBuffer;
import org.heapspan.Encoding;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.IdentityScope;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupWriter}. Internal; not thread-safe. */
public final class RecordGroupWriter {
    /** What an array can hold, less what a group has beyond its records' last frame. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - (4L << 20);

    private final ImageEngine engine;
    private ImageWriter writer;
    private final Encoding encoding;
    private final boolean sharing;
    private int recordCount;
    private long mostBytes = MOST_BYTES;

    /** Set if the group's records were left to a thread that may still write one. */
    private boolean lost;

    private @Nullable EncodeEvent event;

    /**
     * Creates a writer.
     *
     * @param engine the options
     * @param encoding of the groups
     * @param scope how far identity reaches; one record in the raw encoding
     */
    public RecordGroupWriter(ImageEngine engine, Encoding encoding, IdentityScope scope) {
        this.engine = engine;
        this.encoding = encoding;
        sharing = scope == IdentityScope.GROUP;
        writer = engine.newWriter();
        writer.limitTo(mostBytes);
        begin();
    }

    private void begin() {
        recordCount = 0;
        event = FlightRecording.encode();
        engine.begin(writer, encoding, sharing ? ImageFormat.FLAG_GROUP_SCOPE : ImageFormat.FLAG_RECORD_SCOPE, null);
    }

    /** Adds a record; see {@link org.heapspan.GroupWriter#write}. */
    public void write(@Nullable Object record) {
        try {
            if (!sharing && record != null && writer.writeBare(record)) {
                recordCount++;
                return;
            }
        } catch (StackOverflowError e) {
            throw ImageEngine.tooDeep(e);
        }
        writeMarked(record);
    }

    /** Adds records; see {@link org.heapspan.GroupWriter#writeAll}. */
    public void writeAll(@Nullable Object[] records) {
        int next = 0;
        boolean inRows = !sharing;
        while (next < records.length) {
            try {
                if (inRows) {
                    int end = writer.writeBareRow(records, next, records.length);
                    recordCount += end - next;
                    next = end;
                }
            } catch (HeapspanException e) {
                if (writer.isAbandoned()) {
                    takeBack();
                    throw e;
                }
                // One of the row cannot be written: written one by one they tell which.
                writer.takeOverLimit();
                inRows = false;
            } catch (StackOverflowError e) {
                throw ImageEngine.tooDeep(e);
            }
            if (next < records.length) {
                write(records[next++]);
            }
        }
    }

    private void writeMarked(@Nullable Object record) {
        try {
            if (sharing) {
                writer.markInScope();
                writer.writeSharedRoot(record);
            } else {
                writer.mark();
                writer.writeRecord(record);
            }
            if (writer.encoding() == ImageFormat.ENCODING_COMPACT) {
                writer.checkComplete();
            }
            HeapspanException overLimit = writer.takeOverLimit();
            if (overLimit != null) {
                // A method of the record has caught it.
                throw overLimit;
            }
            recordCount++;
        } catch (HeapspanException e) {
            HeapspanException overLimit = takeBack();
            throw engine.located(overLimit == null ? e : overLimit, record);
        } catch (StackOverflowError e) {
            takeBack();
            throw ImageEngine.tooDeep(e);
        } catch (RuntimeException e) {
            HeapspanException overLimit = takeBack();
            throw overLimit == null ? e : engine.located(overLimit, record);
        } catch (Error e) {
            HeapspanException overLimit = takeBack();
            if (overLimit != null && !(e instanceof VirtualMachineError)) {
                throw engine.located(overLimit, record);
            }
            throw e;
        }
    }

    /** Returns the exception that said that the record is too long, if there was one: a method of the record may have wrapped it. */
    private @Nullable HeapspanException takeBack() {
        HeapspanException overLimit = writer.takeOverLimit();
        if (writer.isAbandoned()) {
            lost |= recordCount > 0;
            writer = engine.newWriter();
            writer.limitTo(mostBytes);
            begin();
        } else if (sharing) {
            writer.rollBackInScope();
        } else {
            writer.rollBackToMark();
        }
        return overLimit;
    }

    /** Limits the groups from the next one on; see {@link org.heapspan.GroupWriter#limitTo}. */
    public void limitTo(long newMostBytes) {
        if (recordCount > 0) {
            throw new HeapspanException(
                    Category.USAGE,
                    "a group with " + recordCount
                            + " records is open, so its length cannot be limited; finish it before");
        }
        mostBytes = Math.min(newMostBytes, MOST_BYTES);
        writer.limitTo(mostBytes);
        begin();
    }

    /** Records in the current group. */
    public int recordCount() {
        return recordCount;
    }

    /** Bytes of the current group. */
    public long sizeBytes() {
        return writer.sizeBytes();
    }

    /**
     * Ends the group without a copy.
     *
     * @return its bytes, valid until the next write
     */
    public ByteBuffer finishInPlace() {
        checkNotLost();
        ByteBuffer group = writer.endInPlace();
        tellEnd(group.remaining());
        begin();
        return group;
    }

    /** Ends the group. */
    public byte[] finish() {
        checkNotLost();
        byte[] group = writer.endToArray();
        tellEnd(group.length);
        begin();
        return group;
    }

    private void checkNotLost() {
        if (lost) {
            lost = false;
            begin();
            throw new HeapspanException(
                    HeapspanException.Category.USAGE,
                    "the group was lost, because the stack was too small for one of its records, and the thread held"
                            + " a lock; write the records again, in a thread with a larger stack (-Xss) or without the lock");
        }
    }

    private void tellEnd(int sizeBytes) {
        writer.tally.addImage(writer.encoding(), sizeBytes, recordCount);
        EngineCounters.handOver(writer);
        if (event != null) {
            event.end(writer.encoding(), sizeBytes, recordCount, null);
        }
    }
}
