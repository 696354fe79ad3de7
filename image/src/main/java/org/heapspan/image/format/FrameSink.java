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

    /** Whether nobody sees the bytes before the image ends, so that they can be {@linkplain #takeBack taken back} and changed. */
    default boolean holdsImage() {
        return false;
    }

    /** Forgets all bytes so far; only if it {@linkplain #holdsImage holds} them. */
    default void takeBack() {
        throw new UnsupportedOperationException();
    }

    /**
     * Changes a byte that has been written; only if this {@linkplain #holdsImage holds} it.
     *
     * @param at how many bytes of the image come before it
     */
    default void replace(int at, byte value) {
        throw new UnsupportedOperationException();
    }
}
