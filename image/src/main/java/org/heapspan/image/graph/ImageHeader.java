package org.heapspan.image.graph;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;

/** Checks the header of an image ({@code docs/formats/image.md}), for {@link FrameReader}. */
final class ImageHeader {
    private ImageHeader() {}

    /** Refuses bytes that are no image, or one of another version of the format. */
    static void check(byte[] header, int at) {
        int magic = (int) ImageFormat.INT.get(header, at);
        if (magic != ImageFormat.MAGIC) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    String.format(
                            "these bytes are not an object image: they begin with 0x%08x, expected 0x%08x (\"HSPI\")",
                            Integer.reverseBytes(magic), Integer.reverseBytes(ImageFormat.MAGIC)));
        }
        int version = header[at + ImageFormat.VERSION_OFFSET];
        if (version != ImageFormat.VERSION) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has format version " + version + ", this release reads version " + ImageFormat.VERSION
                            + "; use the same release of Heapspan on both sides");
        }
    }

    /**
     * Whether the image is in the raw encoding.
     *
     * @param trusting whether its source is trusted
     * @throws HeapspanException if its encoding is unknown, not accepted from the source, or out of this JVM's reach
     */
    static boolean isRaw(byte[] header, int at, boolean trusting) {
        int encoding = header[at + ImageFormat.ENCODING_OFFSET];
        if (encoding == ImageFormat.ENCODING_COMPACT) {
            return false;
        }
        if (encoding != ImageFormat.ENCODING_RAW) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has encoding " + encoding + ", this release reads compact ("
                            + ImageFormat.ENCODING_COMPACT + ") and raw (" + ImageFormat.ENCODING_RAW + ")");
        }
        if (!trusting) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has the raw encoding (" + encoding + "), only compact (" + ImageFormat.ENCODING_COMPACT
                            + ") is accepted from an untrusted source; if a process that you trust wrote it, use"
                            + " decodeTrusted");
        }
        if (Access.RAW == null) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "the image has the raw encoding, and " + Access.MACHINE.means()
                            + " is the only means of access this JVM leaves, which cannot fill such objects; let the"
                            + " native library load (see heapspan doctor), or encode compact");
        }
        return true;
    }

    /** The {@code ImageFormat.FLAG_*}, of which none is unknown. */
    static int flags(byte[] header, int at) {
        int flags = (short) ImageFormat.SHORT.get(header, at + ImageFormat.FLAGS_OFFSET) & 0xFFFF;
        if ((flags & ~ImageFormat.KNOWN_FLAGS) != 0) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has flags 0x" + Integer.toHexString(flags) + ", of which this release knows 0x"
                            + Integer.toHexString(ImageFormat.KNOWN_FLAGS));
        }
        return flags;
    }
}
