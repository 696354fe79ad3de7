package org.heapspan.image;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.HeapspanObjectInputStream}. */
public abstract class GraphStreamInput extends GraphInput {
    private final InputStream source;
    private boolean begun;
    private boolean closed;
    private long rootCount;

    /**
     * Opens a stream; its header is read with the first value.
     *
     * @param engine the options
     * @param filter asked for each class in place of the options' filter; null to use that
     * @param source delivers the bytes
     * @throws IOException never; the superclass declares it
     */
    protected GraphStreamInput(ImageEngine engine, @Nullable ObjectInputFilter filter, InputStream source)
            throws IOException {
        super(engine.newReader(filter));
        this.source = source;
    }

    @Override
    final void prepare() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        if (!begun) {
            reader().begin(new ImageEngine.StreamSource(source, false));
            reader().expectObjectStream();
            begun = true;
        }
    }

    @Override
    final boolean atEnd() {
        return reader().atEnd();
    }

    @Override
    final boolean atReset(int item) {
        if (item == GraphStreamOutput.ITEM_RESET) {
            reader().clearScope();
            return true;
        }
        return false;
    }

    @Override
    final IOException endOfItems() {
        return new EOFException("the object stream has no further object");
    }

    @Override
    final @Nullable Object readTop() {
        Object root = reader().readRoot();
        rootCount++;
        return root;
    }

    @Override
    protected final @Nullable Object readObjectOverride() throws IOException, ClassNotFoundException {
        try {
            return super.readObjectOverride();
        } catch (HeapspanException e) {
            throw failed(e);
        } catch (StackOverflowError e) {
            throw ImageEngine.tooDeep(e);
        }
    }

    /** Programs written for Java's streams expect what the source throws, and an EOFException where it ends too early. */
    @Override
    final HeapspanException failed(HeapspanException e) throws IOException {
        if (e.category() == Category.IO && e.getCause() instanceof IOException io) {
            throw io;
        }
        if (e.getCause() instanceof EOFException) {
            EOFException end = new EOFException(e.getMessage());
            end.initCause(e);
            throw end;
        }
        return e;
    }

    @Override
    public final void close() throws IOException {
        if (!closed) {
            closed = true;
            if (begun) {
                reader().tally.addImage(ImageFormat.ENCODING_COMPACT, reader().imageBytes(), rootCount);
                EngineCounters.handOver(reader());
            }
            clear();
            reader().release();
        }
        source.close();
    }
}
