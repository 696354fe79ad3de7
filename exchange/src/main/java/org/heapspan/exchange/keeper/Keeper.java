package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.GroupStore;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.vm.FileSpace;
import org.jspecify.annotations.Nullable;

/**
 * Owns the bytes of the groups of a server: one sparse file for each chunk that has groups. Bytes outlive the process that wrote them, and end with
 * this one, unless keys are kept. Thread-safe.
 */
public final class Keeper implements GroupStore, Closeable {
    /** Objects do not take it, so that their keys can be removed from a device that they have filled. */
    private static final int ROOM_FOR_KEYS_BYTES = 256 << 10;

    private final Chunks chunks;
    private final byte[] serverId;
    private final HeldFolder folder;
    private final ChunkFolders<HeldFolder> folders;
    private final @Nullable KeptKeys keptKeys;
    private final boolean ofPeer;
    private final Map<Long, FileChannel> files = new HashMap<>();

    /** Chunks with files of a former server, until {@link #giveBackFormer}. */
    private final Set<Long> former = new HashSet<>();

    /** What gives back space in these. */
    private final List<Runnable> later = new ArrayList<>();

    private boolean closed;

    /** False once the file system, or this process, could not give back a part of a file. */
    private volatile boolean givesRoomBack = true;

    /** What a part of a group, in one file, is used for. */
    public interface PieceUse {
        void use(FileChannel file, long offset, long length) throws IOException;
    }

    /**
     * Makes a folder of its own, and deletes those of servers that were killed.
     *
     * @param base where the folder is made
     * @param newId of the server
     * @param forceAfter if keys and their groups stay when it ends: how long a change may be in memory only, zero for changes that are forced to the
     *     device before they are answered. If there is a folder of such a server, it goes on with that one. Null if they end with it
     * @throws IOException if that is not possible, or other users could replace files there
     */
    public Keeper(Path base, byte[] newId, Chunks chunks, @Nullable Duration forceAfter) throws IOException {
        this(base, null, newId, chunks, forceAfter, false);
    }

    /**
     * The keeper of a server whose groups end with it, and that has a second folder.
     *
     * @param overflowBase where a second folder is made, for the groups of {@linkplain Chunks#isOverflow overflow} chunks
     */
    public static Keeper withOverflow(Path base, Path overflowBase, byte[] newId, Chunks chunks) throws IOException {
        return new Keeper(base, overflowBase, newId, chunks, null, false);
    }

    /**
     * The keeper of a server that replicates its keys. Its files stay when it ends, and it goes on with those that are there; which groups they have,
     * others know.
     */
    public static Keeper ofPeer(Path base, byte[] newId, Chunks chunks) throws IOException {
        return new Keeper(base, null, newId, chunks, null, true);
    }

    private Keeper(
            Path base,
            @Nullable Path overflowBase,
            byte[] newId,
            Chunks chunks,
            @Nullable Duration forceAfter,
            boolean ofPeer)
            throws IOException {
        this.chunks = chunks;
        this.ofPeer = ofPeer;
        Path root = HeldFolder.prepareBase(base);
        Path last = ofPeer
                ? lastFolder(root, ChunkFolder.PEER_FILE)
                : forceAfter != null ? lastFolder(root, KeyJournal.FILE) : null;
        serverId = last == null ? newId.clone() : ChunkFolder.serverId(last);
        folder = last == null ? HeldFolder.make(root, serverId) : HeldFolder.open(last);
        @Nullable HeldFolder second = null;
        @Nullable KeyJournal opened = null;
        try {
            if (overflowBase != null) {
                second = HeldFolder.make(HeldFolder.prepareBase(overflowBase), serverId);
                second.announce(serverId);
                ChunkFolder.nameOverflow(folder.path(), second.path());
            }
            folders = new ChunkFolders<>(folder, second, chunks);
            if (forceAfter != null) {
                JournalFolder.forceNames(root);
                opened = KeyJournal.open(new JournalFolder(folder.path()));
                adopt(opened.kept());
            }
            if (ofPeer) {
                if (last == null) {
                    Files.createFile(folder.path().resolve(ChunkFolder.PEER_FILE), HeldFolder.OF_OWNER);
                }
                openAll();
            }
            folder.announce(serverId);
            keptKeys =
                    opened == null || forceAfter == null ? null : new KeptKeys(opened, chunks, this::force, forceAfter);
        } catch (IOException | RuntimeException | Error e) {
            for (FileChannel each : files.values()) {
                each.close();
            }
            if (opened != null) {
                opened.close();
            }
            if (second != null) {
                second.delete();
            }
            if (last == null) {
                folder.delete();
            } else {
                folder.release();
            }
            throw e;
        }
    }

    /** The folder of a server that has kept its keys, or null. Where other users may make folders, theirs are passed over. */
    private static @Nullable Path lastFolder(Path root, String marker) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path each : StaleFolders.list(root)) {
            if (ChunkFolder.isName(each.getFileName().toString())
                    && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                    && Files.exists(each.resolve(marker), LinkOption.NOFOLLOW_LINKS)) {
                if (ChunkFolder.isOfThisUser(each)) {
                    found.add(each);
                } else if (!ChunkFolder.isSharedWithOthers(root)) {
                    throw new IOException(each + " belongs to " + Files.getOwner(each)
                            + "; start the server as this user, or move the folder away to begin without keys");
                }
            }
        }
        if (found.isEmpty()) {
            return null;
        }
        Path folder = found.get(0);
        if (found.size() > 1) {
            throw new IOException(root + " has the keys of several servers: " + found + "; move all but one away");
        }
        if (Files.exists(folder.resolve(ChunkFolder.SERVER_FILE)) && !ChunkFolder.isOfAnotherProcess(folder)) {
            throw new IOException("a server of this process uses " + folder);
        }
        return folder;
    }

    /** Goes on with the files of the keys that were kept. All other space is given back, in these files later. */
    private void adopt(Collection<KeyRecord> records) throws IOException {
        NavigableMap<Long, Long> ends = new TreeMap<>();
        for (KeyRecord record : records) {
            GroupDescription group = record.group();
            if (group != null) {
                ends.put(group.address(), group.address() + Chunks.pages(record.reservedBytes()));
            }
        }
        for (Map.Entry<Long, Long> range : ends.entrySet()) {
            for (long chunk = chunks.number(range.getKey()); chunk <= chunks.number(range.getValue() - 1); chunk++) {
                if (!files.containsKey(chunk)) {
                    files.put(chunk, lastFile(chunk));
                }
            }
        }
        Set<String> needed = files.keySet().stream().map(ChunkFolder::fileName).collect(Collectors.toSet());
        for (Path file : StaleFolders.list(folder.path())) {
            String name = file.getFileName().toString();
            if (name.startsWith(ChunkFolder.CHUNK_PREFIX) && !needed.contains(name)) {
                Files.delete(file);
            }
        }
        for (long chunk : files.keySet()) {
            former.add(chunk);
            later.add(() -> freeGaps(chunk, ends));
        }
    }

    /** Whether work is done later, because clients of a former server may read the chunk. */
    private synchronized boolean isPostponed(long chunk, Runnable work) {
        return former.contains(chunk) && later.add(work);
    }

    /**
     * Gives back space that nobody needs in files of a former server. To be called when its clients do not read there any more, or compare the checksum
     * of what they read: they do so when they have not heard of it for half of a lease.
     */
    public void giveBackFormer() {
        List<Runnable> postponed;
        synchronized (this) {
            former.clear();
            postponed = List.copyOf(later);
            later.clear();
        }
        postponed.forEach(Runnable::run);
    }

    private void openAll() throws IOException {
        for (Path file : StaleFolders.list(folder.path())) {
            String name = file.getFileName().toString();
            if (name.startsWith(ChunkFolder.CHUNK_PREFIX)) {
                long chunk = Long.parseUnsignedLong(name.substring(ChunkFolder.CHUNK_PREFIX.length()), 16);
                if (Files.size(file) == chunks.chunkBytes()) {
                    files.put(chunk, lastFile(chunk));
                } else {
                    // It was being made when the server was killed.
                    Files.delete(file);
                }
            }
        }
    }

    /**
     * Gives back all space but this.
     *
     * @param used addresses and lengths of groups
     */
    public void retain(NavigableMap<Long, Long> used) {
        NavigableMap<Long, Long> ends = new TreeMap<>();
        Set<Long> needed = new HashSet<>();
        used.forEach((address, sizeBytes) -> {
            long end = address + Chunks.pages(sizeBytes);
            ends.put(address, end);
            for (long chunk = chunks.number(address); chunk <= chunks.number(end - 1); chunk++) {
                needed.add(chunk);
            }
        });
        List<Long> present;
        synchronized (this) {
            present = List.copyOf(files.keySet());
        }
        for (long chunk : present) {
            if (needed.contains(chunk)) {
                freeGaps(chunk, ends);
            } else {
                drop(chunk);
            }
        }
    }

    /** Whether there are files for a range. */
    public synchronized boolean hasFiles(long address, long sizeBytes) {
        for (long chunk = chunks.number(address); chunk <= chunks.number(address + sizeBytes - 1); chunk++) {
            if (!files.containsKey(chunk)) {
                return false;
            }
        }
        return true;
    }

    /** Returns when the device has the bytes of a range. */
    public void force(long address, long sizeBytes) throws IOException {
        for (long chunk = chunks.number(address); chunk <= chunks.number(address + sizeBytes - 1); chunk++) {
            force(chunk);
        }
    }

    private FileChannel lastFile(long chunk) throws IOException {
        Path path = file(chunk);
        if (!Files.exists(path) || !ChunkFolder.isOwn(path) || Files.size(path) != chunks.chunkBytes()) {
            throw new IOException("keys of " + folder.path() + " need the file " + path.getFileName() + " with "
                    + chunks.chunkBytes() + " bytes, of this user alone; move the folder away to begin without keys");
        }
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    private void freeGaps(long chunk, NavigableMap<Long, Long> ends) {
        long limit = chunks.address(chunk + 1);
        Map.Entry<Long, Long> before = ends.lowerEntry(chunks.address(chunk));
        long at = before == null ? chunks.address(chunk) : Math.max(chunks.address(chunk), before.getValue());
        for (Map.Entry<Long, Long> range :
                ends.subMap(chunks.address(chunk), limit).entrySet()) {
            if (range.getKey() > at) {
                free(at, range.getKey() - at);
            }
            at = range.getValue();
        }
        if (at < limit) {
            free(at, limit - at);
        }
    }

    /** How long a chunk is. */
    public int chunkBytes() {
        return chunks.chunkBytes();
    }

    /** The id of the server, which is that of the last one if it goes on with its keys. */
    public byte[] serverId() {
        return serverId.clone();
    }

    /** The keys that were kept; once. */
    public Collection<KeyRecord> takeKept() {
        return keptKeys == null ? List.of() : keptKeys.takeKept();
    }

    /** Whether no key that was kept is in a range of chunks. */
    public synchronized boolean isFree(long firstChunk, long count) {
        return files.keySet().stream().noneMatch(chunk -> chunk >= firstChunk && chunk - firstChunk < count);
    }

    /** Where changes of keys are taken down. */
    public KeyLog log() {
        return keptKeys == null ? KeyLog.NONE : keptKeys;
    }

    /**
     * Does what keys that are kept need now and then. To be called by one thread, each second or more often.
     *
     * @param live the keys now
     * @throws IOException if changes could not be forced to the device, or their file not written anew
     */
    public void maintainKeys(Supplier<Collection<KeyRecord>> live) throws IOException {
        if (keptKeys != null) {
            keptKeys.maintain(live);
        }
    }

    /** Returns when the device has the bytes of a chunk, if it has not been dropped. */
    private void force(long chunk) throws IOException {
        FileChannel file;
        synchronized (this) {
            file = files.get(chunk);
        }
        if (file == null) {
            return;
        }
        try {
            file.force(false);
        } catch (ClosedChannelException e) {
            synchronized (this) {
                if (files.get(chunk) == file) {
                    throw e;
                }
            }
        }
    }

    /** Where the files are. */
    public Path folder() {
        return folder.path();
    }

    private Path file(long chunk) {
        return folders.of(chunk).path().resolve(ChunkFolder.fileName(chunk));
    }

    /**
     * Makes the files of a range, which takes a page of each, and no other memory yet.
     *
     * @throws FullException if the device has less than this left
     * @throws IOException if a file cannot be made
     */
    public void prepare(long address, long sizeBytes) throws IOException {
        HeldFolder target = folders.of(chunks.number(address));
        checkRoom(target, sizeBytes);
        for (long chunk = chunks.number(address); chunk <= chunks.number(address + sizeBytes - 1); chunk++) {
            file(chunk, true);
        }
        checkRoom(target, sizeBytes);
    }

    /** How much room the device lacks for a range, as far as is known; at least a byte, since others may have taken what there was. */
    public long missingBytes(long address, long sizeBytes) {
        try {
            long usable = folders.of(chunks.number(address)).usableBytes();
            return Math.max(1, sizeBytes - (usable - roomForKeysBytes()));
        } catch (IOException e) {
            return sizeBytes;
        }
    }

    private long roomForKeysBytes() {
        return keptKeys == null ? 0 : ROOM_FOR_KEYS_BYTES;
    }

    private void checkRoom(HeldFolder target, long sizeBytes) throws IOException {
        long usable = target.usableBytes();
        long ofKeys = roomForKeysBytes();
        if (usable - ofKeys < sizeBytes) {
            throw Device.full(
                    target.path(),
                    "has " + usable + " bytes left"
                            + (ofKeys == 0 ? "" : ", of which " + ofKeys + " are for changes of keys") + ", and "
                            + sizeBytes + " were asked for");
        }
    }

    /** Whether the device has room for a range, as far as is known. */
    public boolean hasRoom(long address, long sizeBytes) {
        try {
            checkRoom(folders.of(chunks.number(address)), sizeBytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private synchronized FileChannel file(long chunk, boolean make) throws IOException {
        if (closed) {
            throw new IOException("the keeper of " + folder.path() + " is closed");
        }
        FileChannel file = files.get(chunk);
        if (file == null) {
            if (!make) {
                throw new IOException(
                        "chunk " + chunk + " of " + folders.of(chunk).path() + " has no file");
            }
            file = newFile(folders.of(chunk).path(), file(chunk));
            files.put(chunk, file);
            if (keptKeys != null) {
                JournalFolder.forceNames(folder.path());
            }
        }
        return file;
    }

    /** The file of a chunk. If the system does not allow one as long as that, there is none. */
    private FileChannel newFile(Path target, Path path) throws IOException {
        FileChannel file = FileChannel.open(path, HeldFolder.NEW_FILE, HeldFolder.OF_OWNER);
        try {
            // Clients map whole chunks. A byte at the end takes one page; all others are taken when they are written.
            file.write(ByteBuffer.allocate(1), chunks.chunkBytes() - 1L);
            return file;
        } catch (IOException e) {
            file.close();
            deleteName(path);
            throw Device.reason(e, target, 1);
        } catch (RuntimeException | Error e) {
            file.close();
            deleteName(path);
            throw e;
        }
    }

    /**
     * Writes into a range that was {@linkplain #prepare prepared}.
     *
     * @throws FullException if the device has no room: others have filled it meanwhile
     */
    public void write(long address, ByteBuffer bytes) throws IOException {
        long at = address;
        int limit = bytes.limit();
        while (bytes.hasRemaining()) {
            bytes.limit(Math.min(limit, bytes.position() + chunks.room(at)));
            FileChannel file = file(chunks.number(at), false);
            try {
                while (bytes.hasRemaining()) {
                    at += file.write(bytes, chunks.offset(at));
                }
            } catch (IOException e) {
                throw Device.reason(e, folders.of(chunks.number(at)).path(), bytes.remaining());
            }
            bytes.limit(limit);
        }
    }

    /** The bytes of a short range. */
    public ByteBuffer read(long address, int sizeBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(sizeBytes);
        forEachPiece(address, sizeBytes, (file, offset, length) -> {
            int end = bytes.position() + (int) length;
            bytes.limit(end);
            for (long at = offset; bytes.hasRemaining(); at = offset + length - bytes.remaining()) {
                if (file.read(bytes, at) < 0) {
                    throw new EOFException("a chunk ends before its group");
                }
            }
        });
        return bytes.flip();
    }

    /** Goes through the files of a range. */
    public void forEachPiece(long address, long sizeBytes, PieceUse use) throws IOException {
        long at = address;
        long left = sizeBytes;
        while (left > 0) {
            long length = Math.min(left, chunks.room(at));
            use.use(file(chunks.number(at), false), chunks.offset(at), length);
            at += length;
            left -= length;
        }
    }

    /** Gives pages back, as far as this system can do that; {@link #drop} gives back what it cannot. */
    @Override
    public void free(long address, long sizeBytes) {
        if (isPostponed(chunks.number(address), () -> free(address, sizeBytes))) {
            return;
        }
        try {
            forEachPiece(address, Chunks.pages(sizeBytes), (file, offset, length) -> {
                if (!FileSpace.makeHole(file, offset, length)) {
                    givesRoomBack = false;
                }
            });
        } catch (IOException e) {
            // The pages come back with the file.
            return;
        }
    }

    /** Whether what is freed is room at once. If not, it is when all of a chunk is free. */
    public boolean givesRoomBack() {
        return givesRoomBack;
    }

    @Override
    public void drop(long chunk) {
        if (isPostponed(chunk, () -> drop(chunk))) {
            return;
        }
        FileChannel file;
        synchronized (this) {
            file = files.remove(chunk);
        }
        if (file != null) {
            delete(chunk, file);
        }
    }

    private void delete(long chunk, FileChannel file) {
        try (file) {
            // Who has mapped it holds its pages, but not these.
            FileSpace.makeHole(file, 0, chunks.chunkBytes());
        } catch (IOException e) {
            // Its pages come back when nobody has it mapped any more.
        } finally {
            deleteName(file(chunk));
        }
    }

    private static void deleteName(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next server of this user deletes it.
            return;
        }
    }

    /**
     * Deletes all files: bytes are gone, except for those who have them mapped. If keys are kept, they are forced to the device, and only the name of
     * the server goes.
     */
    @Override
    public void close() throws IOException {
        // A channel that a thread uses which was interrupted is closed before it has done its work.
        boolean interrupted = Thread.interrupted();
        try {
            closeFiles();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeFiles() throws IOException {
        Map<Long, FileChannel> last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        List<IOException> failures = new ArrayList<>();
        if (keptKeys != null) {
            failed(keptKeys::close, failures);
        }
        synchronized (this) {
            last = new HashMap<>(files);
            files.clear();
        }
        for (Map.Entry<Long, FileChannel> each : last.entrySet()) {
            failed(each.getValue()::close, failures);
            if (keptKeys == null && !ofPeer) {
                deleteName(file(each.getKey()));
            }
        }
        if (keptKeys == null && !ofPeer) {
            failed(folder::delete, failures);
        } else {
            deleteName(folder.path().resolve(ChunkFolder.SERVER_FILE));
            failed(folder::release, failures);
        }
        HeldFolder overflow = folders.overflow();
        if (overflow != null) {
            failed(overflow::delete, failures);
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void failed(Step step, List<IOException> failures) {
        try {
            step.run();
        } catch (IOException e) {
            failures.add(e);
        }
    }
}
