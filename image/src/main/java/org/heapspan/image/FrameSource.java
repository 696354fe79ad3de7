package org.heapspan.image;

import java.io.EOFException;
import java.io.IOException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** Delivers the bytes of an image: the header, then frames, each as a whole. */
interface FrameSource {
    /** Fills the array range completely. */
    void readFully(byte[] target, int offset, int length) throws IOException;

    /**
     * How many bytes follow for certain, up to the number wanted. A claim of the image that needs more is refused before
     * anything is allocated for it.
     */
    long bytesAhead(long wanted) throws IOException;

    /** An image that lies in memory. */
    final class OfArray implements FrameSource {
        private final byte[] bytes;
        private final int limit;
        private int position;

        OfArray(byte[] bytes, int offset, int length) {
            this.bytes = bytes;
            this.position = offset;
            this.limit = offset + length;
        }

        byte[] array() {
            return bytes;
        }

        int position() {
            return position;
        }

        void skip(int sizeBytes) {
            position += sizeBytes;
        }

        @Override
        public void readFully(byte[] target, int offset, int length) throws EOFException {
            if (length > limit - position) {
                throw new EOFException(
                        length + " bytes expected at offset " + position + ", " + (limit - position) + " left");
            }
            System.arraycopy(bytes, position, target, offset, length);
            position += length;
        }

        @Override
        public long bytesAhead(long wanted) {
            return (long) limit - position;
        }

        boolean atEnd() {
            return position == limit;
        }
    }

    static HeapspanException failure(IOException e) {
        if (e instanceof EOFException) {
            return new HeapspanException(
                    Category.MALFORMED,
                    "the image is truncated: " + e.getMessage() + "; it must be transferred or stored in full",
                    e);
        }
        return new HeapspanException(Category.IO, "reading the image failed: " + e.getMessage(), e);
    }
}
