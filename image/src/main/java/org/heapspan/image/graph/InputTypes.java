package org.heapspan.image.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The types that an image has described so far, and the codecs that read their objects. For readers. Not thread-safe. */
final class InputTypes {
    private static final Codec[] NO_CODECS = {};
    private static final DescribedTypes[] NO_FRAMES = {};

    /** By number; null where there has been no object of the type in any image. */
    private @Nullable Codec[] codecs = NO_CODECS;

    private int count;

    /** What frames have described, in their order. */
    private DescribedTypes[] frames = NO_FRAMES;

    private int frameCount;

    void clear() {
        codecs = NO_CODECS;
        count = 0;
        Arrays.fill(frames, 0, frameCount, null);
        frameCount = 0;
    }

    int count() {
        return count;
    }

    /** Takes types that no frame has described. */
    void set(Codec[] readers) {
        codecs = readers;
        count = readers.length;
    }

    /** Takes the types that a frame describes. */
    void add(DescribedTypes described) {
        @Nullable Codec[] added = described.codecs;
        int first = count;
        if (first == 0) {
            // Shared with others: it is full, so that what comes next goes into an array of our own.
            codecs = added;
        } else {
            if (added.length > codecs.length - first) {
                codecs = Arrays.copyOf(codecs, Math.max(first + added.length, codecs.length * 2));
            }
            System.arraycopy(added, 0, codecs, first, added.length);
        }
        count = first + added.length;
        if (frameCount == frames.length) {
            frames = Arrays.copyOf(frames, Math.max(4, frameCount * 2));
        }
        frames[frameCount++] = described;
    }

    /** Whether a number is that of a type with a codec. */
    boolean isOf(int number, Codec codec) {
        return number < count && codecs[number] == codec;
    }

    /**
     * What reads objects of a type.
     *
     * @param number at least 0
     */
    Codec codec(int number, FrameReader reader) {
        if (number >= count) {
            throw reader.malformed("type " + number + " is used, " + count + " are described so far");
        }
        Codec codec = codecs[number];
        return codec != null ? codec : codecOfFirst(number, reader);
    }

    /** Finds the codec of a type that has had no object yet. */
    private Codec codecOfFirst(int number, FrameReader reader) {
        int frame = 0;
        int first = 0;
        while (number - first >= frames[frame].codecs.length) {
            first += frames[frame++].codecs.length;
        }
        Codec found = frames[frame].codec(number - first, reader.resolver, reader);
        if (codecs[number] == null) {
            if (codecs == frames[0].codecs) {
                // Others look for the class that is missing here anew.
                codecs = codecs.clone();
            }
            codecs[number] = found;
        }
        return found;
    }
}
