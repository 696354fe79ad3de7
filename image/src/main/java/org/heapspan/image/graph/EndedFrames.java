package org.heapspan.image.graph;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.memory.KeptBuffer;
import org.heapspan.image.memory.LargerStack;
import org.jspecify.annotations.Nullable;

/**
 * The complete frames of an image that is being written. They are passed to a sink. Without a sink they are kept: in place, one after the
 * other in one array, or as copies. Not thread-safe.
 */
final class EndedFrames {
    private static final byte[] NO_BYTES = {};

    private @Nullable FrameSink sink;
    private long sinkBytes;

    /** What the sink has thrown. Nothing comes to it from then on. */
    private @Nullable Throwable failure;

    /** Copies of frames; null as long as there are none. */
    private @Nullable List<byte[]> copies;

    // Frames that stay where they are, before others are copied.
    private byte[] keptIn = NO_BYTES;
    private int keptStart;
    private int keptEnd;

    /** Begins an image. */
    void begin(@Nullable FrameSink newSink) {
        release();
        sink = newSink;
        sinkBytes = 0;
        failure = null;
    }

    /** Lets go of everything that belongs to the image. */
    void release() {
        sink = null;
        copies = null;
        if (keptEnd > 0) {
            forgetKept();
        }
    }

    private void forgetKept() {
        keptIn = NO_BYTES;
        keptStart = 0;
        keptEnd = 0;
    }

    @Nullable
    FrameSink sink() {
        return sink;
    }

    /** Whether nobody sees the image before it ends. */
    boolean holdsImage() {
        FrameSink target = sink;
        return target == null || target.holdsImage();
    }

    /** Forgets all frames of an image that is {@linkplain #holdsImage held}, of which none stays where it is. */
    void takeBack() {
        copies = null;
        FrameSink target = sink;
        if (target != null) {
            target.takeBack();
            sinkBytes = 0;
        }
    }

    /** Changes a byte near the beginning of the first frame, which has ended, if the image is {@linkplain #holdsImage held}. */
    void replace(int at, byte value) {
        FrameSink target = sink;
        if (target == null) {
            copy(0)[at] = value;
        } else if (target.holdsImage()) {
            target.replace(at, value);
        }
    }

    /** How many bytes the sink has taken. */
    long sinkBytes() {
        return sinkBytes;
    }

    /** Whether frames have been, or will be, copied. */
    boolean copies() {
        return copies != null;
    }

    /** Whether there are frames that stay where they are. */
    boolean keepsSome() {
        return keptEnd > 0;
    }

    /** From here on frames are copied. */
    List<byte[]> copyFromNowOn() {
        List<byte[]> frames = copies;
        if (frames == null) {
            frames = new ArrayList<>();
            copies = frames;
            if (keptEnd > 0) {
                frames.add(Arrays.copyOfRange(keptIn, keptStart, keptEnd));
                forgetKept();
            }
        }
        return frames;
    }

    /** How many copies there are. */
    int copyCount() {
        return copies == null ? 0 : copies.size();
    }

    /** The copy with a number, which must be below {@link #copyCount}. */
    byte[] copy(int number) {
        return copyFromNowOn().get(number);
    }

    /** Forgets the copies from a number on. */
    void cutCopies(int firstCount) {
        List<byte[]> frames = copyFromNowOn();
        frames.subList(firstCount, frames.size()).clear();
    }

    /** Passes bytes on to the sink. */
    void send(FrameSink target, byte[] bytes, int start, int length) throws IOException {
        checkSink();
        try {
            sinkBytes += LargerStack.transfer(new Leaving(target, bytes, start, length));
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    /** Throws again what the sink has thrown: a method of an object may have caught it, or wrapped it. */
    void checkSink() throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        } else if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        }
    }

    /** A frame on its way to the sink. */
    private record Leaving(FrameSink target, byte[] bytes, int start, int length) implements LargerStack.Transfer {
        @Override
        public long run() throws IOException {
            target.write(bytes, start, length);
            return length;
        }
    }

    /** Passes on what marks the end of an image. */
    void sendEnd(byte[] endFrame) throws IOException {
        FrameSink target = sink;
        if (target != null) {
            checkSink();
            target.write(endFrame, 0, endFrame.length);
            sinkBytes += endFrame.length;
        }
    }

    /**
     * Lets a frame stay where it is: right behind those that stay already, if there are any.
     *
     * @param bytes the array with all of them
     * @return where it ends
     */
    int keep(byte[] bytes, int start, int end) {
        keptStart = keptEnd == 0 ? start : keptStart;
        keptEnd = end;
        keptIn = bytes;
        return end;
    }

    /** How many bytes the frames have that are in memory. */
    long memoryBytes() {
        long sum = (long) keptEnd - keptStart;
        List<byte[]> frames = copies;
        if (frames != null) {
            for (byte[] frame : frames) {
                sum += frame.length;
            }
        }
        return sum;
    }

    /** The array with the frames that stay, between {@link #keptStart} and {@link #keptEnd}. */
    byte[] keptIn() {
        return keptIn;
    }

    int keptStart() {
        return keptStart;
    }

    int keptEnd() {
        return keptEnd;
    }

    /**
     * All copies in one array.
     *
     * @throws HeapspanException of category LIMIT if they are longer than an array can be
     */
    byte[] join() {
        long total = memoryBytes();
        if (total > Integer.MAX_VALUE - 16) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image has " + total + " bytes, an array holds at most " + (Integer.MAX_VALUE - 16)
                            + "; use encodeTo(object, stream or channel)");
        }
        byte[] image = KeptBuffer.newArray((int) total);
        int p = 0;
        for (byte[] part : copyFromNowOn()) {
            System.arraycopy(part, 0, image, p, part.length);
            p += part.length;
        }
        return image;
    }
}
