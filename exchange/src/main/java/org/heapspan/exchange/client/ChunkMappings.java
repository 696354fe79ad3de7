package org.heapspan.exchange.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.exchange.keeper.ChunkFolder;
import org.heapspan.exchange.keeper.ChunkFolders;
import org.heapspan.exchange.keeper.Device;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.wire.GroupDescription;
import org.jspecify.annotations.Nullable;

/** The files of a keeper on this host: one copy of a group in all (ZCOT section 3.1). Thread-safe. */
final class ChunkMappings {
    private static final int MOST_CHECKED = 10_000;

    private final ChunkFolders<Path> folders;
    private final Chunks chunks;
    private final ConcurrentHashMap<Long, MappedByteBuffer> mapped = new ConcurrentHashMap<>();

    /** Addresses of groups whose checksum was compared. Groups do not change, and no address is used twice. */
    private final Set<Long> checked = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MOST_CHECKED;
        }
    });

    /** Maps nothing yet. */
    ChunkMappings(ChunkFolders<Path> folders) {
        this.folders = folders;
        chunks = folders.chunks();
    }

    Path folder() {
        return folders.first();
    }

    /**
     * Writes a group that this client has reserved. Not through a mapping: when memory is full, a write fails, but an access crashes.
     *
     * @throws FullException if the device of the files has no room
     */
    void write(long address, ByteSource bytes) throws IOException {
        try (Writing writing = new Writing(address)) {
            bytes.forEachBlock(writing);
        }
    }

    /** Why a file could not be read or written, for people. */
    static String reason(IOException e) {
        return e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ", " + e.getMessage());
    }

    /** Writes block after block, to one file after the other. */
    private final class Writing implements ByteTarget, Closeable {
        private long at;
        private @Nullable FileChannel file;

        Writing(long address) {
            at = address;
        }

        @Override
        public void write(ByteBuffer block) throws IOException {
            int limit = block.limit();
            while (block.position() < limit) {
                block.limit(Math.min(limit, block.position() + chunks.room(at)));
                FileChannel current = fileAt();
                try {
                    at += current.write(block, chunks.offset(at));
                } catch (IOException e) {
                    throw Device.reason(e, folders.of(chunks.number(at)), block.remaining());
                }
            }
        }

        private FileChannel fileAt() throws IOException {
            FileChannel current = file;
            if (current == null || chunks.offset(at) == 0) {
                close();
                current = open(chunks.number(at), StandardOpenOption.WRITE);
                file = current;
            }
            return current;
        }

        @Override
        public void close() throws IOException {
            if (file != null) {
                file.close();
            }
        }
    }

    private FileChannel open(long chunk, StandardOpenOption access) throws IOException {
        return FileChannel.open(file(chunk), access, LinkOption.NOFOLLOW_LINKS);
    }

    private Path file(long chunk) {
        return folders.of(chunk).resolve(ChunkFolder.fileName(chunk));
    }

    /** The bytes of a group, in one buffer for each chunk. */
    ByteBuffer[] read(long address, long sizeBytes) throws IOException {
        List<ByteBuffer> pieces = new ArrayList<>(1);
        long at = address;
        long left = sizeBytes;
        while (left > 0) {
            int length = (int) Math.min(left, chunks.room(at));
            pieces.add(chunk(chunks.number(at)).slice(chunks.offset(at), length));
            at += length;
            left -= length;
        }
        return pieces.toArray(ByteBuffer[]::new);
    }

    private MappedByteBuffer chunk(long number) throws IOException {
        MappedByteBuffer known = mapped.get(number);
        if (known != null) {
            return known;
        }
        try (FileChannel file = open(number, StandardOpenOption.READ)) {
            if (file.size() != chunks.chunkBytes()) {
                throw new IOException(file(number) + " has " + file.size() + " bytes, expected " + chunks.chunkBytes());
            }
            MappedByteBuffer made = file.map(MapMode.READ_ONLY, 0, chunks.chunkBytes());
            MappedByteBuffer other = mapped.putIfAbsent(number, made);
            return other == null ? made : other;
        }
    }

    /** Whether the checksum of a group was compared before, as far as is remembered: each reader of a group compares it once. */
    boolean isChecked(GroupDescription group) {
        synchronized (checked) {
            return checked.contains(group.address());
        }
    }

    void setChecked(GroupDescription group) {
        synchronized (checked) {
            checked.add(group.address());
        }
    }

    /** Forgets chunks that the keeper has dropped; the collector unmaps them. */
    void forgetDropped() {
        mapped.keySet().removeIf(chunk -> !Files.exists(file(chunk)));
    }
}
