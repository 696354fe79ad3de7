package org.heapspan.spark.broadcast;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.spark.heapspan.HostBytes.Content;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder {@code heapspan-broadcasts-ID} in which the executors of an application on one host share bytes.
 *
 * <pre>
 *   executor-E    locked by executor E as long as it runs
 *   N             the bytes of broadcast N; a shared lock of each executor that uses them
 *   N.new-E       what executor E is writing; it becomes N when it is complete
 *   N.turn        locked by the executor that fetches the broadcast
 *   N.failed      the bytes could not be stored: each executor reads the broadcast by itself
 * </pre>
 *
 * <p>Systems give up all locks of a process on a file when the process closes it once. So this class never opens a file again that it has locked,
 * and {@linkplain #tryTurn turns} are for one thread of a process at a time. Thread-safe otherwise.
 */
final class SharingFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    static final String PREFIX = "heapspan-broadcasts-";

    private static final Pattern FOLDER_NAMES = Pattern.compile(PREFIX + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final String EXECUTOR = "executor-";
    private static final String NEW = ".new-";
    private static final String TURN = ".turn";
    private static final String FAILED = ".failed";
    private static final String NUMBER = "[0-9]{1,18}";
    private static final Pattern FILE_NAMES = Pattern.compile(
            EXECUTOR + "[0-9a-zA-Z._-]+|" + NUMBER + "(" + NEW + "[0-9a-zA-Z._-]+|\\" + TURN + "|\\" + FAILED + ")?");
    private static final Pattern BROADCASTS = Pattern.compile(NUMBER);

    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> FOLDER_OF_OWNER = PosixFilePermissions.asFileAttribute(OWNER);
    private static final FileAttribute<?> FILE_OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final Set<OpenOption> MAKE = Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);

    /** Of the device, never taken: others count on the memory, too. */
    private static final double SHARE_LEFT_TO_OTHERS = 0.1;

    /** Younger files that nobody has locked may be about to be locked. */
    private static final Duration SETTLED = Duration.ofMinutes(1);

    private static final int MOST_ATTEMPTS = 20;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Path path;
    private final String executor;
    private final FileChannel presence;
    private boolean closed;

    private SharingFolder(Path path, String executor, FileChannel presence) {
        this.path = path;
        this.executor = executor;
        this.presence = presence;
    }

    /**
     * Makes the folder, unless another executor has made it.
     *
     * @param base where it is
     * @param application the ID, which the driver has drawn
     * @param executor number of this executor
     * @throws IOException if it cannot be made, or belongs to another user
     */
    static SharingFolder enter(Path base, String application, String executor) throws IOException {
        Path path = base.toAbsolutePath().resolve(PREFIX + application);
        Path mark = path.resolve(EXECUTOR + executor);
        for (int i = 1; ; i++) {
            FileChannel presence = locked(path, mark);
            if (presence != null) {
                return new SharingFolder(path, executor, presence);
            }
            if (i == MOST_ATTEMPTS) {
                throw new IOException("other processes lock or delete " + mark + " again and again");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /**
     * Makes the folder, and makes and locks the mark of this executor. Returns null if that must be tried again: another executor may look whether the
     * mark is locked, or delete the folder. The last executor that leaves deletes it, and so does an executor that finds the folder of an application
     * that has ended. Who deletes locks first, so what is locked stays.
     */
    private static @Nullable FileChannel locked(Path path, Path mark) throws IOException {
        FileChannel presence;
        try {
            make(path);
            presence = FileChannel.open(mark, MAKE, FILE_OF_OWNER);
        } catch (NoSuchFileException e) {
            return null;
        }
        boolean locked = false;
        try {
            locked = presence.tryLock() != null && Files.exists(mark, LinkOption.NOFOLLOW_LINKS);
            return locked ? presence : null;
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (!locked) {
                presence.close();
            }
        }
    }

    private static void make(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, FOLDER_OF_OWNER);
        } catch (FileAlreadyExistsException e) {
            if (!isOwn(folder)) {
                throw new IOException(folder + " is not a folder of this user, which nobody else can read", e);
            }
        }
    }

    /** Whether a folder belongs to the user of this process, and to nobody else. */
    private static boolean isOwn(Path folder) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.isDirectory()
                && attributes.owner().equals(Files.getOwner(Path.of("/proc/self")))
                && attributes.permissions().equals(OWNER);
    }

    Path path() {
        return path;
    }

    /** Whether other executors of the application run on this host. */
    synchronized boolean hasOthers() {
        return !closed && isOtherPresent();
    }

    private boolean isOtherPresent() {
        for (Path file : files(path)) {
            String name = name(file);
            if (name.startsWith(EXECUTOR) && !name.equals(EXECUTOR + executor) && isLocked(file)) {
                return true;
            }
        }
        return false;
    }

    /** The bytes of a broadcast, in use from now on; null if they are not here. */
    synchronized @Nullable FileChannel find(long broadcast) throws IOException {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file(broadcast, ""), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            if (channel.tryLock(0, Long.MAX_VALUE, true) == null) {
                // Somebody deletes them at this moment.
                channel.close();
                return null;
            }
            return channel;
        } catch (NoSuchFileException e) {
            return null;
        } catch (OverlappingFileLockException e) {
            // Another one of this process, whose lock keeps the file.
            return channel;
        } catch (IOException | RuntimeException e) {
            if (channel != null) {
                channel.close();
            }
            throw e;
        }
    }

    /** Gives back what {@link #find} returned, and deletes the file if it was the last one who used it. */
    synchronized void release(long broadcast, FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Only the lock mattered, which is gone with the file.
        }
        deleteIfUnlocked(file(broadcast, ""));
    }

    /**
     * The right to fetch a broadcast for all executors.
     *
     * @param lock of the file of turns
     * @param file its name
     */
    record Turn(FileChannel lock, Path file) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
            lock.close();
        }
    }

    /** Takes the turn, unless another executor has it. */
    @Nullable
    Turn tryTurn(long broadcast) throws IOException {
        Path file = file(broadcast, TURN);
        FileChannel channel = FileChannel.open(file, MAKE, FILE_OF_OWNER);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
            return lock == null ? null : new Turn(channel, file);
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    /**
     * Stores the bytes of a broadcast.
     *
     * @return how many there are
     * @throws IOException if there is no room, or the bytes cannot be fetched; then nothing is left of them
     */
    long write(long broadcast, Content content) throws IOException {
        Path unfinished = file(broadcast, NEW + executor);
        boolean complete = false;
        try {
            long size;
            try (FileChannel channel = FileChannel.open(unfinished, MAKE, FILE_OF_OWNER)) {
                content.writeTo(new Bounded(channel, room()));
                size = channel.size();
            }
            Files.move(unfinished, file(broadcast, ""), StandardCopyOption.ATOMIC_MOVE);
            complete = true;
            return size;
        } finally {
            if (!complete) {
                Files.deleteIfExists(unfinished);
            }
        }
    }

    private long room() throws IOException {
        FileStore device = Files.getFileStore(path);
        return device.getUsableSpace() - (long) (device.getTotalSpace() * SHARE_LEFT_TO_OTHERS);
    }

    /** A file that may take so much. Not through a mapping: when memory is full, a write fails, but an access crashes. */
    private static final class Bounded extends OutputStream {
        private final FileChannel channel;
        private final long most;
        private long count;

        Bounded(FileChannel channel, long most) {
            this.channel = channel;
            this.most = most;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count += length;
            if (count > most) {
                throw new IOException("more than " + (most >> 20) + " MB, which are free");
            }
            ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }
    }

    /** Tells all executors to read a broadcast by themselves. */
    void markFailed(long broadcast) throws IOException {
        FileChannel.open(file(broadcast, FAILED), MAKE, FILE_OF_OWNER).close();
    }

    boolean hasFailed(long broadcast) {
        return Files.exists(file(broadcast, FAILED), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Deletes what executors have left behind that were killed.
     *
     * @param used broadcasts whose files this executor has locked
     */
    synchronized void sweep(Set<Long> used) {
        if (closed) {
            return;
        }
        for (Path file : files(path)) {
            String name = name(file);
            if (BROADCASTS.matcher(name).matches()) {
                if (!used.contains(Long.parseLong(name)) && isSettled(file)) {
                    deleteIfUnlocked(file);
                }
            } else if (name.endsWith(TURN) || name.endsWith(FAILED)) {
                if (isSettled(file)) {
                    delete(file);
                }
            } else if (name.startsWith(EXECUTOR)) {
                if (!name.equals(EXECUTOR + executor) && isSettled(file)) {
                    deleteIfUnlocked(file);
                }
            } else if (name.contains(NEW) && !isPresent(name.substring(name.indexOf(NEW) + NEW.length()))) {
                delete(file);
            }
        }
    }

    private boolean isPresent(String other) {
        return other.equals(executor) || isLocked(path.resolve(EXECUTOR + other));
    }

    /** Leaves the folder, and deletes it after the last executor. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            presence.close();
        } catch (IOException e) {
            // Only the lock mattered, which is gone.
        }
        delete(path.resolve(EXECUTOR + executor));
        // Not before: of two that leave at the same time, each would find the other.
        if (!isOtherPresent()) {
            deleteAll(path);
        }
    }

    /** Deletes folders of applications of this user whose executors were all killed. */
    static void deleteStale(Path base) {
        for (Path folder : files(base)) {
            if (FOLDER_NAMES.matcher(name(folder)).matches() && isStale(folder)) {
                deleteAll(folder);
            }
        }
    }

    private static boolean isStale(Path folder) {
        try {
            return isOwn(folder)
                    && isSettled(folder)
                    && files(folder).stream().noneMatch(file -> name(file).startsWith(EXECUTOR) && isLocked(file));
        } catch (IOException e) {
            // Of another user, or deleted at this moment.
            return false;
        }
    }

    /** Deletes a folder and what is in it, up to what another executor has locked that enters at this moment. */
    static void deleteAll(Path folder) {
        for (Path file : files(folder)) {
            if (FILE_NAMES.matcher(name(file)).matches()) {
                deleteIfUnlocked(file);
            }
        }
        delete(folder);
    }

    private Path file(long broadcast, String kind) {
        return path.resolve(broadcast + kind);
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private static boolean isSettled(Path file) {
        try {
            Instant changed =
                    Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
            return changed.isBefore(Instant.now().minus(SETTLED));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether another process has locked a file, which this process has not. */
    private static boolean isLocked(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void deleteIfUnlocked(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                delete(file);
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("{} was deleted by another executor, or is in use", file, e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("{} stays", file, e);
        }
    }

    private static List<Path> files(Path folder) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(files::add);
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            // What was found so far.
            return files;
        }
        return files;
    }
}
