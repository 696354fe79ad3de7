package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a keeper: {@code heapspan-exchange-ID}, with the files {@code server} and {@code lock} and the files of chunks. {@code server} holds
 * the id of the server, and that of the running system: the same file on another host is another memory. Its last line is the id of the process and
 * its start.
 * The server holds a lock on {@code lock} as long as it runs. No other code of its process may open that file: systems give up all locks of a
 * process on a file when the process closes it once.
 */
public final class ChunkFolder {
    static final String PREFIX = "heapspan-exchange-";
    static final String SERVER_FILE = "server";
    static final String LOCK_FILE = "lock";
    static final String CHUNK_PREFIX = "chunk-";

    /** Marks the folder of a server that replicates its keys: it goes on with its files. */
    static final String PEER_FILE = "peer";

    /** Names the second folder of the keeper, if there is one. It has the same name and the same files, except for this one. */
    static final String OVERFLOW_FILE = "overflow";

    /** Names of all files that a keeper makes. */
    static final Pattern FILE_NAMES = Pattern.compile(CHUNK_PREFIX + "[0-9a-f]{16}|" + LOCK_FILE + "|" + PEER_FILE + "|"
            + OVERFLOW_FILE + "|(" + SERVER_FILE + "|" + KeyJournal.FILE + ")(\\.new)?");

    private static final Pattern FOLDER_NAMES = Pattern.compile(PREFIX + "[0-9a-f]{32}");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int LINES = 3;
    private static final int MOST_SERVER_FILE_BYTES = 256;
    private static final int MOST_OVERFLOW_FILE_BYTES = 8 << 10;
    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private ChunkFolder() {}

    /** The name of the folder of a server. */
    static String name(byte[] serverId) {
        return PREFIX + HexFormat.of().formatHex(serverId);
    }

    /** The id in the name of a folder. */
    static byte[] serverId(Path folder) {
        return HexFormat.of().parseHex(folder.getFileName().toString().substring(PREFIX.length()));
    }

    static boolean isName(String name) {
        return FOLDER_NAMES.matcher(name).matches();
    }

    /** The name of the file of a chunk. */
    public static String fileName(long chunk) {
        return CHUNK_PREFIX + String.format("%016x", chunk);
    }

    /** What the file {@code server} holds. */
    static List<String> identity(byte[] serverId) throws IOException {
        return List.of(HexFormat.of().formatHex(serverId), runningSystem(), ownProcess());
    }

    private static String runningSystem() throws IOException {
        return Files.exists(BOOT_ID) ? Files.readString(BOOT_ID).strip() : "";
    }

    /** With its start, because systems give ids to other processes, and containers often the same. */
    private static String ownProcess() {
        ProcessHandle process = ProcessHandle.current();
        return process.pid() + " "
                + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** The lines of the file {@code server}; none if it is longer than such a file. */
    private static List<String> lines(Path folder) throws IOException {
        Path file = folder.resolve(SERVER_FILE);
        return isOwn(file) && Files.size(file) <= MOST_SERVER_FILE_BYTES
                ? Files.readAllLines(file, StandardCharsets.ISO_8859_1)
                : List.of();
    }

    /** Whether this process may open the file {@code lock} to find out whether the server of a folder runs: it is no server of this process. */
    static boolean isOfAnotherProcess(Path folder) throws IOException {
        List<String> lines = lines(folder);
        return lines.size() == LINES && !lines.subList(1, LINES).equals(List.of(runningSystem(), ownProcess()));
    }

    /**
     * Whether the files of a server are within reach: this process is on its host, and runs for the same user. The server may lie: nothing but
     * files of this user with the names of a keeper is believed.
     *
     * @param folder where the server says that they are
     */
    public static boolean isReachable(Path folder, byte[] serverId) {
        try {
            if (!folder.isAbsolute()
                    || folder.getFileName() == null
                    || !folder.getFileName().toString().equals(name(serverId))
                    || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            List<String> lines = lines(folder);
            return lines.size() == LINES
                    && lines.subList(0, LINES - 1).equals(identity(serverId).subList(0, LINES - 1));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    static void nameOverflow(Path folder, Path overflow) throws IOException {
        Path file = Files.createFile(folder.resolve(OVERFLOW_FILE), HeldFolder.OF_OWNER);
        Files.writeString(file, overflow.toString());
    }

    /**
     * The second folder of a keeper, or null if it has none.
     *
     * @throws IOException if the file with its name cannot be read, or is not this user's
     */
    public static @Nullable Path overflow(Path folder) throws IOException {
        Path file = folder.resolve(OVERFLOW_FILE);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        if (!isOwn(file) || Files.size(file) > MOST_OVERFLOW_FILE_BYTES) {
            throw new IOException(file + " is no file of a server of this user");
        }
        try {
            return Path.of(Files.readString(file));
        } catch (InvalidPathException e) {
            throw new IOException(file + " names no folder", e);
        }
    }

    /** Whether a file is a plain one of the user of this process, and nobody else's to read or write. */
    public static boolean isOwn(Path file) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.isRegularFile()
                && attributes.owner().equals(owner())
                && attributes.permissions().stream().noneMatch(OF_OTHERS::contains);
    }

    /** Whether a folder belongs to the user of this process. */
    static boolean isOfThisUser(Path folder) throws IOException {
        return Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(owner());
    }

    /** Whether other users may make files in a folder. */
    static boolean isSharedWithOthers(Path folder) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
        return permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** The user of this process, as file systems call it. */
    private static java.nio.file.attribute.UserPrincipal owner() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }
}
