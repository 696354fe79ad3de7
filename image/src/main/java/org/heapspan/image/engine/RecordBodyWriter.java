package org.heapspan.image.engine;

import java.nio.ByteBuffer;
import org.heapspan.Encoding;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.BodyWriter}. Internal; not thread-safe. */
public final class RecordBodyWriter {
    private final ImageEngine engine;
    private final int typeCount;
    private ImageWriter writer;

    /** Whether the writer has a body of nothing but numbers. Then the next record, if it is alike, takes its place and needs no other preparation. */
    private boolean bare;

    /**
     * Creates a writer.
     *
     * @param engine the options
     * @param typeCount how many types of the registry readers know
     */
    public RecordBodyWriter(ImageEngine engine, int typeCount) {
        engine.registryId();
        this.engine = engine;
        this.typeCount = typeCount;
        writer = newWriter();
    }

    private ImageWriter newWriter() {
        ImageWriter made = engine.newWriter();
        made.keepCodecs();
        EngineCounters.register(made);
        return made;
    }

    /** Writes a record; see {@link org.heapspan.BodyWriter#write}. */
    public boolean write(@Nullable Object record) {
        ImageWriter current = writer;
        if (bare && record != null && current.writeBareAlone(record)) {
            current.tally.addImage(ImageFormat.ENCODING_COMPACT, current.bodyBytes());
            return true;
        }
        return writeAny(record);
    }

    /** Writes a record whose objects are repeated; see {@link org.heapspan.BodyWriter#writeRepeating}. */
    public boolean writeRepeating(@Nullable Object record) {
        ImageWriter current = writer;
        current.repeatObjects(true);
        try {
            return writeAny(record);
        } finally {
            current.repeatObjects(false);
        }
    }

    private boolean writeAny(@Nullable Object record) {
        // The JIT can inline this, and not what names the class of an event that is not loaded.
        EncodeEvent event = FlightRecording.isPossible() ? FlightRecording.encode() : null;
        bare = false;
        ImageWriter current = writer;
        engine.begin(current, Encoding.COMPACT, ImageFormat.FLAG_RECORD_SCOPE, null);
        boolean complete = false;
        try {
            engine.writeRecord(current, record);
            complete = true;
        } finally {
            if (!complete) {
                release();
            }
        }
        boolean isBody = current.isBody() && current.typeCount() <= typeCount;
        bare = isBody && current.isBare();
        long sizeBytes = isBody ? current.bodyBytes() : current.sizeBytes();
        current.tally.addImage(ImageFormat.ENCODING_COMPACT, sizeBytes);
        if (event != null) {
            event.end(ImageFormat.ENCODING_COMPACT, sizeBytes, 1, record);
        }
        return isBody;
    }

    /** The array with the latest record. */
    public byte[] array() {
        return writer.buffer;
    }

    /** Where its body begins. */
    public int offset() {
        return writer.bodyStart();
    }

    /** How many bytes its body has. */
    public int length() {
        return writer.bodyBytes();
    }

    /** Whether it refers to an object more than once. */
    public boolean hasBackReferences() {
        return writer.hasBackReferences();
    }

    /** The latest record as an image. */
    public ByteBuffer image() {
        bare = false;
        return writer.endInPlace();
    }

    /** Lets go of memory; see {@link org.heapspan.BodyWriter#release}. */
    public void release() {
        bare = false;
        if (writer.isAbandoned()) {
            // Another thread may still use it.
            writer = newWriter();
        } else {
            writer.release();
        }
    }
}
