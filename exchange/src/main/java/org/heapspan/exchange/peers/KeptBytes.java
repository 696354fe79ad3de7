package org.heapspan.exchange.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;

/** The bytes of groups in the keeper of a peer: sends them to others, fetches them, and compares them with their checksum. Thread-safe. */
final class KeptBytes {
    private static final int PIECE_BYTES = FrameLink.MOST_DATA_BYTES;

    private final Keeper keeper;
    private final boolean forced;

    /**
     * Uses a keeper.
     *
     * @param forced whether {@link #force} does anything
     */
    KeptBytes(Keeper keeper, boolean forced) {
        this.keeper = keeper;
        this.forced = forced;
    }

    private interface PieceUse<E extends Exception> {
        void with(long offset, ByteBuffer piece) throws IOException, E;
    }

    /** Reads a group piece by piece, in one buffer. */
    private <E extends Exception> void forEachPiece(GroupDescription group, PieceUse<E> use) throws IOException, E {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, group.sizeBytes()));
        for (long done = 0; done < group.sizeBytes(); done += buffer.limit()) {
            buffer.clear().limit((int) Math.min(PIECE_BYTES, group.sizeBytes() - done));
            read(group.address() + done, buffer);
            use.with(done, buffer.flip().duplicate());
        }
    }

    private void read(long address, ByteBuffer target) throws IOException {
        int limit = target.limit();
        keeper.forEachPiece(address, target.remaining(), (file, offset, length) -> {
            target.limit(target.position() + (int) length);
            fill(file, offset, target);
        });
        target.limit(limit);
    }

    private static void fill(FileChannel file, long offset, ByteBuffer target) throws IOException {
        long at = offset;
        while (target.hasRemaining()) {
            int count = file.read(target, at);
            if (count < 0) {
                throw new IOException("a chunk ends before its group");
            }
            at += count;
        }
    }

    /** Sends a group to another peer, in a run of the leader. */
    void send(ExchangeClient client, PeerLink link, long run, GroupDescription group)
            throws IOException, RefusedException {
        forEachPiece(
                group,
                (offset, piece) -> client.call(
                        new Request.StoreCopy(run, group.address(), group.sizeBytes(), group.checksum(), offset, piece),
                        Reply.Done.class,
                        link.timeout()));
    }

    /** Whether the bytes have the checksum of their group. */
    boolean areIntact(GroupDescription group) throws IOException {
        CRC32C checksum = new CRC32C();
        forEachPiece(group, (offset, piece) -> checksum.update(piece));
        return (int) checksum.getValue() == group.checksum();
    }

    /** Gets a group from another peer. */
    void fetch(PeerLink link, GroupDescription group) throws IOException, RefusedException {
        link.copy(client -> {
            keeper.prepare(group.address(), group.sizeBytes());
            long[] at = {group.address()};
            client.copyOfKeeper(group, piece -> {
                int length = piece.remaining();
                keeper.write(at[0], piece);
                at[0] += length;
            });
        });
        force(group.address(), group.sizeBytes());
    }

    /** Forces bytes to the device, if that is wanted. */
    void force(long address, long sizeBytes) throws IOException {
        if (forced) {
            keeper.force(address, sizeBytes);
        }
    }
}
