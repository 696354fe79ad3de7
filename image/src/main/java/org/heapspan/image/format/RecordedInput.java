package org.heapspan.image.format;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** A stream that keeps what has been read from it, to be read again. Not thread-safe. */
public final class RecordedInput extends PieceInput {
    /** More is not kept: it would have to be one array. */
    private static final int MOST_BYTES = 1 << 30;

    private final InputStream source;
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private boolean tooLong;

    public RecordedInput(InputStream source) {
        this.source = source;
    }

    /** All that has been read so far, and then the rest. */
    public InputStream replay() {
        return recorded.size() == 0 && !tooLong
                ? this
                : new SequenceInputStream(new ByteArrayInputStream(bytes()), this);
    }

    /**
     * All that has been read so far.
     *
     * @throws HeapspanException if it was too much to be kept
     */
    public byte[] bytes() {
        if (tooLong) {
            throw new HeapspanException(Category.LIMIT, "images over " + MOST_BYTES + " bytes cannot be verified");
        }
        return recorded.toByteArray();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = source.read(target, offset, length);
        if (count > 0 && !tooLong) {
            tooLong = count > MOST_BYTES - recorded.size();
            if (tooLong) {
                recorded.reset();
            } else {
                recorded.write(target, offset, count);
            }
        }
        return count;
    }
}
