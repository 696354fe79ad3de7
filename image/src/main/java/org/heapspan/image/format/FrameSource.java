package org.heapspan.image.format;

import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Delivers the bytes of an image: the header, then frames, each as a whole. */
public interface FrameSource {
    /** Fills the array range completely. A source that may be asked again after a failure keeps what it could not deliver as a whole. */
    void readFully(byte[] target, int offset, int length) throws IOException;

    /** Takes back bytes that it delivered last, of a frame of which the rest has not come, for sources that may be asked again. */
    default void takeBack(byte[] bytes, int offset, int length) {}

    /**
     * How many bytes follow for certain, up to the number wanted. A claim of the image that needs more is refused before
     * anything is allocated for it.
     */
    long bytesAhead(long wanted) throws IOException;

    /** Whether an image that is complete so far ends here, though no end frame says so. */
    default boolean endsHere() throws IOException {
        return false;
    }

    /** Whether {@link #readFully} gives a whole frame without waiting. */
    default boolean hasFrame() throws IOException {
        return true;
    }

    /** An image that lies in memory, whose end is the end of the image. */
    interface InMemory extends FrameSource {
        /** How many bytes follow. */
        long bytesLeft();

        @Override
        default long bytesAhead(long wanted) {
            return bytesLeft();
        }

        @Override
        default boolean endsHere() {
            return atEnd();
        }

        default boolean atEnd() {
            return bytesLeft() == 0;
        }

        default EOFException truncated(int length) {
            return new EOFException(length + " bytes expected, " + bytesLeft() + " left");
        }
    }

    /** An image in an array, whose frames are read in place. */
    final class OfArray implements InMemory {
        private final byte[] bytes;
        private final int limit;
        private int position;

        public OfArray(byte[] bytes, int offset, int length) {
            this.bytes = bytes;
            this.position = offset;
            this.limit = offset + length;
        }

        public byte[] array() {
            return bytes;
        }

        public int position() {
            return position;
        }

        public void skip(int sizeBytes) {
            position += sizeBytes;
        }

        @Override
        public void readFully(byte[] target, int offset, int length) throws EOFException {
            if (length > limit - position) {
                throw truncated(length);
            }
            System.arraycopy(bytes, position, target, offset, length);
            position += length;
        }

        @Override
        public long bytesLeft() {
            return (long) limit - position;
        }
    }

    /** An image in one buffer after another, split anywhere. The buffers themselves stay as they are. */
    final class OfBuffers implements InMemory {
        /** The address of a buffer's memory; -1 where it cannot be accessed. */
        private static final long ADDRESS_OFFSET = addressOffset();

        private final ByteBuffer[] buffers;
        private int current;
        private long bytesLeft;

        private static long addressOffset() {
            long offset = Access.offsetOf(Buffer.class, "address", long.class);
            return offset >= 0 && isAddress(offset) ? offset : -1;
        }

        /** Whether a field of buffers is what it is taken for: a part of a buffer begins where its whole does, and as far behind as it should. */
        private static boolean isAddress(long offset) {
            try {
                ByteBuffer whole = ByteBuffer.allocateDirect(8);
                long address = Access.raw().getLong(whole, offset);
                return address != 0 && Access.raw().getLong(whole.slice(3, 2), offset) == address + 3;
            } catch (OutOfMemoryError e) {
                // There is no memory outside the Java heap. So its buffers are read as others are.
                return false;
            }
        }

        public OfBuffers(ByteBuffer... sources) {
            buffers = new ByteBuffer[sources.length];
            for (int i = 0; i < sources.length; i++) {
                buffers[i] = sources[i].duplicate().order(ByteOrder.LITTLE_ENDIAN);
                bytesLeft += sources[i].remaining();
            }
        }

        @Override
        public void readFully(byte[] target, int offset, int length) throws EOFException {
            if (length > bytesLeft) {
                throw truncated(length);
            }
            int done = 0;
            while (done < length) {
                ByteBuffer buffer = buffers[current];
                int portion = Math.min(length - done, buffer.remaining());
                buffer.get(target, offset + done, portion);
                done += portion;
                if (!buffer.hasRemaining()) {
                    current++;
                }
            }
            bytesLeft -= length;
        }

        /** The little-endian buffer outside the Java heap that has the next bytes in one piece, at its position; null if there is none. */
        public @Nullable ByteBuffer outsideHeap(int length) {
            if (ADDRESS_OFFSET < 0 || length > bytesLeft) {
                return null;
            }
            ByteBuffer buffer = buffers[current];
            return buffer.isDirect() && length <= buffer.remaining() ? buffer : null;
        }

        /** Copies the next bytes, which are {@link #outsideHeap}, to an array: to an offset as for raw access. */
        public void copy(Object array, long offset, int length) {
            ByteBuffer buffer = buffers[current];
            int position = buffer.position();
            RawMemory raw = Access.raw();
            raw.copyMemory(null, raw.getLong(buffer, ADDRESS_OFFSET) + position, array, offset, length);
            Reference.reachabilityFence(buffer);
            skip(length);
        }

        /** Moves behind bytes that are {@link #outsideHeap}. */
        public void skip(int length) {
            ByteBuffer buffer = buffers[current];
            buffer.position(buffer.position() + length);
            bytesLeft -= length;
            if (!buffer.hasRemaining()) {
                current++;
            }
        }

        @Override
        public long bytesLeft() {
            return bytesLeft;
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
