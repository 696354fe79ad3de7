package org.heapspan.replication;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * What a server says of itself to one that has an empty folder.
 *
 * @param isMember whether it has everything that it has ever confirmed
 * @param folders the id of its folder. If it is a member, those of all folders with which the group began, as far as it knows them
 * @param term the last one that it knows
 * @param last the last entry of its log
 */
record Standing(boolean isMember, List<UUID> folders, long term, TermIndex last) {
    private static final int MOST_FOLDERS = 16;

    Standing {
        folders = List.copyOf(folders);
    }

    /** Whether it knows of a group that has begun. */
    boolean knowsGroup() {
        return isMember || term > 0;
    }

    byte[] write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeBoolean(isMember);
        out.writeLong(term);
        out.writeLong(last.getTerm());
        out.writeLong(last.getIndex());
        out.writeByte(folders.size());
        for (UUID each : folders) {
            out.writeLong(each.getMostSignificantBits());
            out.writeLong(each.getLeastSignificantBits());
        }
        return bytes.toByteArray();
    }

    /** Reads what another server has written. */
    static Standing read(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return read(in);
        } catch (EOFException e) {
            throw new IOException("what a server says of itself ends after " + bytes.length + " bytes", e);
        }
    }

    private static Standing read(DataInputStream in) throws IOException {
        boolean isMember = in.readBoolean();
        long term = in.readLong();
        TermIndex last = TermIndex.valueOf(in.readLong(), in.readLong());
        int count = in.readByte();
        if (count < 0 || count > MOST_FOLDERS || term < 0) {
            throw new IOException("a server says that it knows " + count + " folders, expected 0 to " + MOST_FOLDERS
                    + ", and term " + term + ", expected 0 or more");
        }
        List<UUID> folders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            folders.add(new UUID(in.readLong(), in.readLong()));
        }
        return new Standing(isMember, folders, term, last);
    }
}
