package org.heapspan.image.format;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is read in pieces; a single byte is a piece of one. */
abstract class PieceInput extends InputStream {
    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public abstract int read(byte[] target, int offset, int length) throws IOException;
}
