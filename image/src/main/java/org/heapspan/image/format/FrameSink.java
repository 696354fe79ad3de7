package org.heapspan.image.format;

import java.io.IOException;

/** Takes the finished bytes of an image in order. */
public interface FrameSink {
    /**
     * Takes bytes; they may be overwritten once this returns.
     *
     * @throws IOException if they cannot be passed on
     */
    void write(byte[] bytes, int offset, int length) throws IOException;
}
