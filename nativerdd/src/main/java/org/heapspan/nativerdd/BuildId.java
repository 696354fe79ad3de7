package org.heapspan.nativerdd;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The build id of a shared object: the linker computes it from the contents. Reads ELF files of 64 bits in little endian order. */
final class BuildId {
    private static final int HEADER_BYTES = 64;
    private static final int PROGRAM_HEADER_BYTES = 56;
    private static final int MAGIC = 0x464c457f;
    private static final int NOTE_SEGMENT = 4;
    private static final int NOTE_HEADER_BYTES = 12;
    private static final int BUILD_ID_NOTE = 3;
    private static final int GNU = 0x00554e47;
    private static final int MOST_NOTE_BYTES = 1 << 16;
    private static final int MOST_ID_BYTES = 64;

    private BuildId() {}

    /**
     * Reads a build id.
     *
     * @return the id in hexadecimal digits
     * @throws NativeProgramException if the file is no shared object for x86-64, or has no build id
     * @throws IOException if the file cannot be read
     */
    static String of(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer header = read(channel, 0, HEADER_BYTES);
            if (header == null || header.getInt(0) != MAGIC || header.get(4) != 2 || header.get(5) != 1) {
                throw new NativeProgramException(
                        file + " is no native program: expected a shared object (ELF, 64 bits)");
            }
            long table = header.getLong(32);
            int count = Short.toUnsignedInt(header.getShort(56));
            for (int i = 0; i < count; i++) {
                ByteBuffer segment = read(channel, table + (long) i * PROGRAM_HEADER_BYTES, PROGRAM_HEADER_BYTES);
                if (segment != null && segment.getInt(0) == NOTE_SEGMENT) {
                    long size = segment.getLong(32);
                    ByteBuffer notes =
                            size < 0 || size > MOST_NOTE_BYTES ? null : read(channel, segment.getLong(8), (int) size);
                    String id = notes == null ? null : find(notes, segment.getLong(48) == 8 ? 8 : 4);
                    if (id != null) {
                        return id;
                    }
                }
            }
        }
        throw new NativeProgramException(
                file + " has no build id; build it with `heapspan native build`, or link it with -Wl,--build-id");
    }

    private static @Nullable String find(ByteBuffer notes, int alignment) {
        int at = 0;
        while (notes.limit() - at >= NOTE_HEADER_BYTES) {
            long nameBytes = Integer.toUnsignedLong(notes.getInt(at));
            long idBytes = Integer.toUnsignedLong(notes.getInt(at + 4));
            int type = notes.getInt(at + 8);
            long id = at + NOTE_HEADER_BYTES + aligned(nameBytes, alignment);
            long next = id + aligned(idBytes, alignment);
            if (id + idBytes > notes.limit()) {
                return null;
            }
            if (type == BUILD_ID_NOTE
                    && nameBytes == 4
                    && notes.getInt(at + NOTE_HEADER_BYTES) == GNU
                    && idBytes > 0
                    && idBytes <= MOST_ID_BYTES) {
                byte[] bytes = new byte[(int) idBytes];
                notes.get((int) id, bytes);
                return HexFormat.of().formatHex(bytes);
            }
            if (next > notes.limit()) {
                return null;
            }
            at = (int) next;
        }
        return null;
    }

    private static long aligned(long size, int alignment) {
        return (size + alignment - 1) / alignment * alignment;
    }

    /** Null if the file is shorter. */
    private static @Nullable ByteBuffer read(FileChannel channel, long offset, int sizeBytes) throws IOException {
        if (offset < 0 || offset > channel.size() - sizeBytes) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
        }
        return buffer.flip();
    }
}
