package org.heapspan.exchange.client;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.zip.CRC32C;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.wire.FrameSeal;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/** The bytes of one group on their way from a server: as many as it announced, each within a deadline. For one thread. */
final class FetchedBytes {
    private static final int FIRST_BLOCK_BYTES = 64 << 10;
    private static final int MOST_BLOCK_BYTES = 1 << 20;

    private final Link link;
    private final GroupDescription group;
    private final Duration timeout;
    private final CRC32C checksum = new CRC32C();
    private final @Nullable FrameSeal seal;
    private long left;
    private boolean complete;

    FetchedBytes(Link link, @Nullable FrameSeal seal, GroupDescription group, Duration timeout) {
        this.link = link;
        this.seal = seal;
        this.group = group;
        this.timeout = timeout;
        left = group.sizeBytes();
    }

    /** Gives them away in blocks as they come, and compares their checksum at the end. Takes memory only for bytes that come. */
    void forEachBlock(ByteTarget target) throws IOException, RefusedException {
        int length = FIRST_BLOCK_BYTES;
        while (left > 0) {
            ByteBuffer block = ByteBuffer.allocate((int) Math.min(length, left));
            fill(block);
            target.write(block.flip());
            length = Math.min(MOST_BLOCK_BYTES, 2 * length);
        }
        compare();
    }

    /**
     * Hands them on as they come, and compares their checksum at the end.
     *
     * @param copied what was handed on already, by an attempt that has failed: only the rest is handed on
     * @throws RefusedException if the bytes are not those that were committed
     */
    void copy(ByteTarget target, CopiedBytes copied) throws IOException, RefusedException {
        ByteBuffer buffer = ByteBuffer.allocate(FIRST_BLOCK_BYTES);
        long at = 0;
        while (left > 0) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            fill(buffer);
            at += buffer.position();
            int sum = (int) checksum.getValue();
            if (copied.has(at)) {
                copied.check(group, at, sum);
            } else {
                target.write(buffer.flip());
                copied.add(at, sum);
            }
        }
        compare();
    }

    private void fill(ByteBuffer block) throws IOException {
        while (block.hasRemaining()) {
            if (seal == null) {
                readSome(block);
            } else {
                readSealed(block, seal);
            }
        }
    }

    /** Blocks have whole pieces, except for the last one. */
    private void readSealed(ByteBuffer block, FrameSeal ofPieces) throws IOException {
        int length = Math.min(FrameSeal.PIECE_BYTES, block.remaining());
        ByteBuffer piece = block.slice(block.position(), length);
        while (piece.hasRemaining()) {
            readSome(piece);
        }
        ByteBuffer tag = ByteBuffer.allocate(FrameSeal.TAG_BYTES);
        link.read(tag, Deadline.after(timeout));
        if (!SharedSecret.areEqual(tag.array(), ofPieces.nextPiece(piece.flip()))) {
            throw new MalformedFrameException("a group was changed on its way: its authentication fails");
        }
        block.position(block.position() + length);
    }

    private void readSome(ByteBuffer buffer) throws IOException {
        int before = buffer.position();
        int count = link.readSome(buffer, Deadline.after(timeout));
        if (count < 0) {
            throw new EOFException(
                    link.peer() + " has closed the connection, " + left + " bytes of the group are missing");
        }
        left -= count;
        checksum.update(buffer.duplicate().flip().position(before));
    }

    private void compare() throws RefusedException {
        complete = true;
        group.check((int) checksum.getValue());
    }

    /** Whether all have come, so that the connection can be used again. */
    boolean areComplete() {
        return complete;
    }
}
