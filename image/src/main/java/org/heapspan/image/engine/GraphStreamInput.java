package org.heapspan.image.engine;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.StreamCorruptedException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.StreamSource;
import org.heapspan.image.serialization.GraphInput;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.HeapspanObjectInputStream}. */
public abstract class GraphStreamInput extends GraphInput {
    private final InputStream source;
    private final StreamSource bytes;
    private final ImageEngine engine;

    /** The superclass's filter when the stream was opened: that of the JVM, which the reader asks as well. */
    private @Nullable ObjectInputFilter filterSeen;

    private boolean begun;
    private boolean closed;

    /** Set while an object is read; what comes behind one that could not be read cannot be found. */
    private boolean withinObject;

    /** What went wrong so that nobody knows where the next item begins. */
    private @Nullable Throwable failure;

    private long rootCount;

    /**
     * Opens a stream; its header is read with the first value.
     *
     * @param engine the options
     * @param filter asked for each class in place of the options' filter; null to use that
     * @param source delivers the bytes
     * @throws IOException never; the superclass declares it
     */
    @SuppressWarnings("this-escape") // The superclass keeps the filter, nothing else.
    protected GraphStreamInput(ImageEngine engine, @Nullable ObjectInputFilter filter, InputStream source)
            throws IOException {
        super(engine.newReader(filter));
        this.engine = engine;
        if (filter != null) {
            // Else the superclass would take a second one, which nobody asks.
            setObjectInputFilter(filter);
        }
        filterSeen = getObjectInputFilter();
        this.source = source;
        this.bytes = new StreamSource(source, false);
    }

    /** As with Java's stream, whoever asks whether something has come does not wait for it. */
    @Override
    protected final boolean isReady() throws IOException {
        checkUsable();
        if (!begun && !bytes.fetch(ImageFormat.IMAGE_HEADER_BYTES)) {
            return false;
        }
        prepare();
        return reader().isReady();
    }

    private void checkUsable() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        if (failure != null) {
            StreamCorruptedException lost = new StreamCorruptedException("an earlier object could not be read ("
                    + failure.getMessage()
                    + "), so the following objects of the stream cannot be read; open another stream, and"
                    + " write objects that may fail as separate images");
            lost.initCause(failure);
            throw lost;
        }
    }

    @Override
    protected final void prepare() throws IOException {
        checkUsable();
        ObjectInputFilter filter = getObjectInputFilter();
        if (filter != filterSeen) {
            if (begun) {
                throw new IllegalStateException(
                        "the filter of the stream was set after something had been read from it; set it before");
            }
            useReader(engine.newReader(filter));
            filterSeen = filter;
        }
        if (!begun) {
            reader().begin(bytes);
            reader().expectObjectStream();
            begun = true;
        }
    }

    @Override
    protected final boolean atEnd() {
        return reader().atEnd();
    }

    @Override
    protected final boolean atReset(int item) {
        if (item == ImageFormat.ITEM_RESET) {
            reader().clearScope();
            return true;
        }
        return false;
    }

    @Override
    protected final IOException endOfItems() {
        return new EOFException("the object stream has no further object");
    }

    @Override
    protected final @Nullable Object readTop() {
        withinObject = true;
        Object root = reader().readRoot();
        withinObject = false;
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
            throw failed(ImageEngine.tooDeep(e));
        } finally {
            if (withinObject && failure == null) {
                // An error that is not ours, thrown by a method of a user class.
                fail(new IllegalStateException("reading an object did not come to its end"));
            }
        }
    }

    private void fail(Throwable why) {
        failure = why;
        withinObject = false;
        clear();
    }

    /** Programs written for Java's streams expect what the source throws, and an EOFException where it ends too early. */
    @Override
    protected final HeapspanException failed(HeapspanException e) throws IOException {
        // A source that failed between two items may deliver the next one later: a socket whose timeout has passed.
        boolean mayComeLater = e.category() == Category.IO || e.getCause() instanceof EOFException;
        if (withinObject || !mayComeLater) {
            fail(e);
        }
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
