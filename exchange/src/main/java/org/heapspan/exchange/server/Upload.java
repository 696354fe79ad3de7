package org.heapspan.exchange.server;

import java.io.IOException;
import java.util.zip.CRC32C;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/** A group whose bytes arrive one after the other. What goes wrong is told when it is committed. For one thread. */
final class Upload {
    private final long address;
    private final CRC32C checksum = new CRC32C();
    private long received;
    private @Nullable RefusedException failure;

    Upload(long address) {
        this.address = address;
    }

    boolean isOf(long other) {
        return address == other;
    }

    void fail(RefusedException reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    /**
     * Writes the next piece.
     *
     * @param reservedBytes how long the space of the group is
     */
    void receive(Request.Data data, long reservedBytes, Keeper keeper) {
        int length = data.bytes().remaining();
        if (failure != null) {
            return;
        }
        if (data.offset() != received || length > reservedBytes - received) {
            failure = new RefusedException(
                    RefusalCode.PROTOCOL,
                    length + " bytes came for offset " + data.offset() + " of a group of which " + received + " of "
                            + reservedBytes + " bytes are there");
            return;
        }
        checksum.update(data.bytes().duplicate());
        try {
            keeper.write(address + received, data.bytes());
            received += length;
        } catch (IOException e) {
            failure = notStored(e);
        }
    }

    static RefusedException notStored(IOException e) {
        return new RefusedException(
                e instanceof FullException ? RefusalCode.FULL : RefusalCode.STORAGE,
                "the bytes could not be stored: " + e.getMessage());
    }

    /** Compares with what the client has sent. */
    void check(Request.Commit commit) throws RefusedException {
        if (failure != null) {
            throw failure;
        }
        if (received != commit.sizeBytes()) {
            throw new RefusedException(
                    RefusalCode.PROTOCOL, received + " bytes have come of a group of " + commit.sizeBytes());
        }
        if ((int) checksum.getValue() != commit.checksum()) {
            throw new RefusedException(
                    RefusalCode.CHECKSUM, "the bytes that have come have another checksum than those that were sent");
        }
    }
}
