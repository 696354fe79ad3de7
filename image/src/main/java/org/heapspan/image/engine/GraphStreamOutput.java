package org.heapspan.image.engine;

import java.io.IOException;
import java.io.OutputStream;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.serialization.GraphOutput;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.HeapspanObjectOutputStream}: a stream of items that is an image of its own. */
public abstract class GraphStreamOutput extends GraphOutput {
    private final OutputStream target;
    private final ImageEngine engine;
    private boolean closed;
    private long rootCount;

    /**
     * Opens a stream; its header leaves with the first flush or full buffer.
     *
     * @param engine the options
     * @param target takes the bytes
     * @throws IOException never; the superclass declares it
     */
    @SuppressWarnings("this-escape") // The writer is not ours alone to see, but no subclass overrides what is called.
    protected GraphStreamOutput(ImageEngine engine, OutputStream target) throws IOException {
        super(engine.newWriter());
        this.engine = engine;
        this.target = target;
        // Frames leave in one piece: a buffer in between would only be filled and emptied.
        writer().begin(engine.flags(), target::write);
    }

    @Override
    protected final void writeObjectOverride(@Nullable Object object) throws IOException {
        writeRoot(object, true);
    }

    private void writeRoot(@Nullable Object object, boolean shared) throws IOException {
        checkOpen();
        flushData();
        try {
            writer().writeByte(ImageFormat.ITEM_OBJECT);
            if (shared) {
                writer().writeSharedRoot(object);
            } else {
                writer().writeUnsharedRoot(object);
            }
            rootCount++;
        } catch (HeapspanException e) {
            throw failed(engine.located(e, object));
        } catch (StackOverflowError e) {
            throw failed(ImageEngine.tooDeep(e));
        } catch (RuntimeException | Error e) {
            // Of a method of the object, such as an AssertionError.
            end();
            throw e;
        }
    }

    /** A half-written object cannot be taken back: what has left has left. */
    @Override
    protected final HeapspanException failed(HeapspanException e) throws IOException {
        end();
        if (e.category() == Category.IO && e.getCause() instanceof IOException io) {
            throw io;
        }
        return e;
    }

    private void end() {
        closed = true;
        dropData();
        writer().release();
    }

    @Override
    protected final void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed, or an object could not be written to it completely");
        }
    }

    @Override
    public final void writeUnshared(@Nullable Object object) throws IOException {
        writeRoot(object, false);
    }

    /**
     * Does nothing, as an image has a version of its own.
     *
     * @throws IllegalStateException if an object has been written
     */
    @Override
    public final void useProtocolVersion(int version) throws IOException {
        if (rootCount > 0) {
            super.useProtocolVersion(version);
        }
        if (version != PROTOCOL_VERSION_1 && version != PROTOCOL_VERSION_2) {
            throw new IllegalArgumentException("unknown version: " + version);
        }
    }

    /**
     * Forgets all objects written so far.
     *
     * @throws IOException if the stream is closed
     */
    @Override
    public final void reset() throws IOException {
        checkOpen();
        flushData();
        try {
            writer().writeByte(ImageFormat.ITEM_RESET);
        } catch (HeapspanException e) {
            throw failed(e);
        }
        writer().clearScope();
    }

    @Override
    public final void flush() throws IOException {
        checkOpen();
        try {
            flushData();
            writer().flushFrame();
        } catch (HeapspanException e) {
            throw failed(e);
        }
        target.flush();
    }

    @Override
    public final void close() throws IOException {
        if (closed) {
            target.close();
            return;
        }
        try {
            flushData();
            writer().flushFrame();
            target.flush();
            writeEndMark();
            writer().tally.addImage(ImageFormat.ENCODING_COMPACT, writer().sinkBytes(), rootCount);
            EngineCounters.handOver(writer());
        } catch (HeapspanException e) {
            throw failed(e);
        } finally {
            end();
            target.close();
        }
    }

    /**
     * Tells the reader that nothing follows. All objects have left before, so that nothing is lost where the other side, or the
     * socket by way of its other stream, is closed already; Java's stream, which has no end mark, does not notice that either.
     */
    private void writeEndMark() {
        try {
            writer().endToSink();
            target.flush();
        } catch (IOException | HeapspanException unreachable) {
            // See above.
        }
    }
}
