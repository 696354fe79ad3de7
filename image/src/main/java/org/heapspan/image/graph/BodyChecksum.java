package org.heapspan.image.graph;

import org.heapspan.image.format.FrameChecksum;

/**
 * The checksum of a frame whose body is being written. Large arrays and groups of records are added piece by piece, while their bytes are
 * still in the processor's cache. Not thread-safe.
 */
final class BodyChecksum {
    private static final int SUMMED_FROM_BYTES = 1 << 20;
    private static final int PIECE_BYTES = 128 << 10;

    private final FrameChecksum crc = new FrameChecksum();
    private boolean wanted;

    /** How many bytes of the body have been summed; nothing of them may change any more. */
    private int summedBytes;

    private int summed;

    /** Begins an image. */
    void begin(boolean newWanted) {
        wanted = newWanted;
        summedBytes = 0;
    }

    /** Begins a body anew. */
    void restart() {
        summedBytes = 0;
    }

    /** Takes notice that a body has only so many bytes now. */
    void cutTo(int bodyBytes) {
        if (bodyBytes < summedBytes) {
            summedBytes = 0;
        }
    }

    /** Cuts what would have left the cache before the checksum came to it. */
    int pieceOf(int portion) {
        return wanted && FrameChecksum.CONTINUES && portion >= SUMMED_FROM_BYTES ? PIECE_BYTES : portion;
    }

    /** Sums the body so far if the latest piece of it was a large one. */
    void pieceWritten(int pieceBytes, byte[] buffer, int bodyStart, int position) {
        if (pieceBytes >= PIECE_BYTES) {
            sum(buffer, bodyStart, position);
        }
    }

    /** Sums the body so far if a large piece of it has not been summed. */
    void recordWritten(byte[] buffer, int bodyStart, int position) {
        if (position - bodyStart - summedBytes >= PIECE_BYTES) {
            sum(buffer, bodyStart, position);
        }
    }

    private void sum(byte[] buffer, int bodyStart, int position) {
        if (wanted && FrameChecksum.CONTINUES) {
            int from = bodyStart + summedBytes;
            summed = crc.continued(summedBytes == 0 ? 0 : summed, buffer, from, position - from);
            summedBytes = position - bodyStart;
        }
    }

    /**
     * The checksum of a frame: its types, and the body behind them.
     *
     * @param types what lies at {@code typesAt} already
     * @return 0 if none is wanted
     */
    int of(FrameTypes types, int typesBytes, byte[] target, int typesAt, int bodyBytes) {
        if (!wanted) {
            return 0;
        }
        if (!FrameChecksum.CONTINUES) {
            return crc.of(target, typesAt, typesBytes + bodyBytes);
        }
        int body = typesAt + typesBytes;
        if (summedBytes == 0) {
            return types.checksum(crc, target, body, bodyBytes);
        }
        return FrameChecksum.combined(
                types.checksum(crc, target, body, 0),
                crc.continued(summed, target, body + summedBytes, bodyBytes - summedBytes),
                bodyBytes);
    }
}
