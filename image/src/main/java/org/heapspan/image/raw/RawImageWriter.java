package org.heapspan.image.raw;

import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.OwnObjectCodec;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.memory.Restart;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of a raw image ({@link RawFormat}): their frames, and the removal of a record that cannot be written. {@link
 * RawAddressedWriter} writes most records, and {@link RawNumberedWriter} writes those that it refuses. {@link ImageWriter} writes side
 * objects in the compact encoding when all copies of the record have their places.
 *
 * <p>If other threads change a graph while it is written, the image has a mix of old and new values, and is still valid: no size depends on
 * a value that can change. Belongs to one {@link ImageWriter}; not thread-safe.
 */
public final class RawImageWriter extends RawNumberedWriter {
    private static final int KEPT_FRAMES_BYTES = 64 << 20;

    private final int alignmentBytes;
    /** Where the current chunk ends if that is within a record, else -1. */
    private long cut;

    private boolean layoutWritten;
    /** What will be true of the next chunk by how the one before ended: {@code RawFormat.FLAG_*}. */
    private int flags;

    private int constantsWritten;

    /** Set while compact parts are written that may refer to objects of the current chunk. */
    private boolean inExtension;

    // The record, and what is needed to take it back.
    private boolean inRecord;
    private long recordChunkStart;
    private int recordForms;
    private int recordConstants;
    private int recordFlags;
    private boolean recordLayoutWritten;
    private int insertedBytes;
    private boolean frameLeft;
    private @Nullable RawChunk chunkBeforeRecord;

    /** The raw part of a writer; null if this JVM cannot write raw images. */
    public static @Nullable RawImageWriter of(ImageWriter writer) {
        RawLayout layout = RawLayout.OWN;
        return layout == null ? null : new RawImageWriter(writer, layout);
    }

    RawImageWriter(ImageWriter writer, RawLayout layout) {
        super(writer, layout);
        alignmentBytes = layout.heap().objectAlignmentBytes();
    }

    /** Begins an image. */
    @Override
    public void begin() {
        chunk.clearAll(end - chunkStart);
        chunk.beginImage();
        // Place 0 is nobody's, because in a slot it means null.
        end = alignmentBytes;
        spaceLimit = Math.min(RawFormat.SPACE_LIMIT_BYTES, writer.mostBytes());
        startChunk(end);
        cut = -1;
        layoutWritten = false;
        flags = RawFormat.FLAG_BEGINS;
        cutForms(0);
        constants.cutTo(0);
        constantsWritten = 0;
        sideBase = 0;
        endRecord();
    }

    /** Lets go of everything that belongs to the image. */
    @Override
    public void release() {
        begin();
        chunk.release();
        releaseQuick();
    }

    // ---------------------------------------------------------------- records

    /** Writes a record that shares nothing but constants with the records before and after it. */
    @Override
    public void writeRecord(@Nullable Object root) {
        if (end > spaceLimit) {
            throw writer.overLimit();
        }
        if (root != null && expectsQuick() && writeQuickRecord(root)) {
            return;
        }
        long rootNumber;
        try {
            beginRecord();
            rootNumber = copyGraph(root);
        } catch (Restart outgrown) {
            // It begins again in a chunk of its own.
            takeBackRecord();
            writer.endFrame();
            beginRecord();
            rootNumber = copyGraph(root);
        }
        copyCount = writer.table().count();
        writeConstants();
        int kind = (int) rootNumber & LOCATED_MASK;
        chunk.addRoot(kind == RawFormat.ROOT_OBJECT ? (int) (recordStart >>> RawFormat.UNIT_SHIFT) : 0);
        if (kind >= RawFormat.ROOT_CONSTANT || sides.count() > 0) {
            writeExtension(rootNumber);
        }
        writer.checkComplete();
        endRecord();
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES || writer.bodyBytes() >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
    }

    /**
     * Writes records like the latest, as long as they come in a row.
     *
     * @return the first record that has not been written, or {@code last}
     */
    @Override
    public int writeRow(@Nullable Object[] records, int first, int last) {
        if (!suitsRow() || end > spaceLimit) {
            return first;
        }
        noteState();
        int position = writer.position;
        int types = writer.typeCount();
        int next;
        try {
            next = writeRowQuickly(records, first, last);
            if (constantsWritten < constants.count()) {
                writeConstants();
            }
        } catch (Restart unsuitable) {
            takeBackRecord();
            return first;
        } catch (RuntimeException | Error e) {
            takeBackRecord();
            writer.cutTo(position, types);
            throw e;
        }
        inRecord = false;
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
        return next;
    }

    private boolean writeQuickRecord(Object root) {
        noteState();
        boolean written = false;
        try {
            written = writeQuickly(root);
        } catch (Restart unsuitable) {
            learn(false);
        }
        if (!written) {
            takeBackRecord();
            return false;
        }
        learn(true);
        if (constantsWritten < constants.count()) {
            writeConstants();
        }
        chunk.addRoot((int) (recordStart >>> RawFormat.UNIT_SHIFT));
        inRecord = false;
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
        return true;
    }

    private void writeExtension(long rootNumber) {
        chunk.extend((int) (recordStart >>> RawFormat.UNIT_SHIFT));
        inExtension = true;
        writer.writeNumber(rootNumber);
        writer.writeNumber(end - recordStart >>> RawFormat.UNIT_SHIFT);
        sides.write();
        sideBase += sides.count();
        inExtension = false;
    }

    private void beginRecord() {
        writer.mark();
        writer.clearScope();
        frameLeft = false;
        insertedBytes = 0;
        noteState();
    }

    private void noteState() {
        inRecord = true;
        endHasLeft = false;
        recordStart = end;
        recordChunkStart = chunkStart;
        recordFlags = flags;
        recordLayoutWritten = layoutWritten;
        recordForms = formCount();
        recordConstants = constants.count();
        chunk.beginRecord((int) (end - chunkStart));
    }

    private void endRecord() {
        inRecord = false;
        inExtension = false;
        frameLeft = false;
        chunkBeforeRecord = null;
        // A writer may be idle for long, and a large graph may have given few bytes.
        releaseScratch();
        endNumbers();
    }

    /** Makes the image what it was before the record, whatever of it has left; the writer takes back its frames. */
    @Override
    public void takeBackRecord() {
        if (!inRecord) {
            return;
        }
        if (chunkBeforeRecord == null) {
            chunk.cutRecord(end - chunkStart);
        } else {
            chunk = chunkBeforeRecord;
        }
        end = recordStart;
        startChunk(recordChunkStart);
        cut = -1;
        flags = recordFlags;
        layoutWritten = recordLayoutWritten;
        cutForms(recordForms);
        constants.cutTo(recordConstants);
        constantsWritten = Math.min(constantsWritten, recordConstants);
        endRecord();
    }

    /** How many bytes were put in front of the frame with the beginning of the record, if it has left. */
    @Override
    public int insertedBytes() {
        return insertedBytes;
    }

    // ---------------------------------------------------------------- chunks within a record

    @Override
    void endChunkWithinRecord(long place) {
        writeConstants();
        cut = place;
        writer.endFrame();
        cut = -1;
    }

    @Override
    void continueInNextChunk(int partBytes) {
        endChunkWithinRecord(chunkStart + partBytes);
        fillChunk();
        flags |= RawFormat.FLAG_CONTINUES;
    }

    // ---------------------------------------------------------------- constants

    /** Writes what is new among the constants, in the compact encoding, and puts it into the chunk. */
    private void writeConstants() {
        for (; constantsWritten < constants.count(); constantsWritten++) {
            Object constant = constants.get(constantsWritten);
            int start = writer.position;
            Codec codec = OwnObjectCodec.handles(constant.getClass())
                    ? BuiltInTypes.known(BuiltInTypes.OWN_OBJECT_TAG)
                    : writer.registry.codecOf(constant.getClass());
            writer.writeTag(codec);
            codec.write(writer, constant, null);
            chunk.addConstant(writer.buffer, start, writer.position - start);
            writer.position = start;
        }
    }

    // ---------------------------------------------------------------- frames, side objects

    /** Puts the chunk in front of the frame that ends. */
    @Override
    public void placeChunk() {
        long last = cut >= 0 ? cut : end;
        int objectBytes = (int) (last - chunkStart);
        if (objectBytes == 0 && layoutWritten && writer.bodyBytes() == 0 && !chunk.hasRoots()) {
            return;
        }
        int layoutBytes = layoutWritten ? 0 : RawFormat.LAYOUT_BYTES;
        RawChunk before = inRecord && !frameLeft ? chunk.beforeRecord() : null;
        chunk.complete();
        int sizeBytes = layoutBytes + chunk.sizeBytes(objectBytes);
        if (before != null) {
            frameLeft = true;
            insertedBytes = sizeBytes;
            chunkBeforeRecord = before;
        }
        int chunkFlags =
                flags | (cut < 0 ? RawFormat.FLAG_ENDS : 0) | (cut < 0 && !inExtension ? RawFormat.FLAG_WHOLE : 0);
        endHasLeft |= cut < 0 && inExtension;
        int compactBytes = writer.bodyBytes();
        int start = chunk.close(
                        writer.headBytes() + layoutBytes,
                        (int) (chunkStart >>> RawFormat.UNIT_SHIFT),
                        objectBytes,
                        chunkFlags,
                        compactBytes)
                - layoutBytes;
        if (!layoutWritten) {
            layout.encode(chunk.objects, start);
            layoutWritten = true;
        }
        int endOfChunk = start + sizeBytes;
        System.arraycopy(writer.buffer, writer.bodyStart(), chunk.objects, endOfChunk, compactBytes);
        writer.continueIn(chunk.objects, start, endOfChunk + compactBytes);
        chunk.clearAll(objectBytes);
        flags = cut < 0 ? RawFormat.FLAG_BEGINS : 0;
        startChunk(last);
    }

    /** Whether the frame that ends may stay where it is: nobody will want to take back a part of it. */
    @Override
    public boolean keepsFrames() {
        return !inRecord && chunk.base < KEPT_FRAMES_BYTES;
    }

    @Override
    public void frameEnded(int keptEnd) {
        chunk.beginFrame(keptEnd);
    }

    /** Whether there is anything that has not been put into a frame yet. */
    @Override
    public boolean hasRoots() {
        return chunk.hasRoots();
    }

    /** Bytes of what has not been put into a frame yet. */
    @Override
    public int sizeBytes() {
        return chunk.sizeBytes((int) (end - chunkStart)) + (layoutWritten ? 0 : RawFormat.LAYOUT_BYTES);
    }
}
