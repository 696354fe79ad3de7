package org.heapspan.vm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What {@link CarvingSpace#carve} shall make objects of: pieces of an image, and what they have in common.
 *
 * <p>A plain holder of parameters, reused by its owner; not thread-safe. All offsets are in bytes from the image's beginning and may
 * have any alignment; all numbers in the image are little endian. <em>Units</em> are 8 bytes of the image's object space
 * ({@code docs/formats/image.md}, "Raw encoding"). Ranges are checked against the image, unit numbers against the range of the
 * copied objects; that units are beginnings of objects of the right class is not: the image's writer is trusted.
 */
public final class CarveRequest {
    /** The image, or {@code null} if it lies at {@link #imageAddress}. */
    public byte @Nullable [] image;

    /** Absolute address of an image in native memory, where {@link #image} is {@code null}. */
    public long imageAddress;

    /** How many bytes may be read from {@link #imageAddress} on. */
    public long imageBytes = Long.MAX_VALUE;

    /** Number of the first object's place, in units; references lead from there to the end of the copies, or are 0. */
    public long firstUnit;

    private CarvePiece[] pieces = {new CarvePiece()};

    /** Number of pieces, which lie one behind the other in the object space. */
    public int pieceCount = 1;

    /** Objects that patches refer to; young or old. */
    public Object @Nullable [] constants;

    /**
     * Pairs of class words, in the image and here ({@link ClassFacts#classWord}), of all classes whose words differ; each image word
     * once. {@code null} if the headers can be taken over as they are: then they are not even read.
     *
     * <p>With pairs, every class of the copies must be one whose facts {@link Carver#classFacts} gave out.
     */
    public long @Nullable [] classWords;

    /** Number of pairs in {@link #classWords}. */
    public int classWordCount;

    /** One of the pieces, to be filled in; there are as many as anyone asks for. */
    public CarvePiece piece(int index) {
        while (index >= pieces.length) {
            int known = pieces.length;
            pieces = Arrays.copyOf(pieces, known + 1);
            pieces[known] = new CarvePiece();
        }
        return pieces[index];
    }
}
