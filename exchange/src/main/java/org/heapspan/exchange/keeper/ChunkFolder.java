package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The folder of a keeper: {@code heapspan-exchange-ID}, with the file {@code server} and the files of chunks. {@code server} holds the id of the
 * server and of the running system: the same file on another host is another memory.
 */
public final class ChunkFolder {
    static final String PREFIX = "heapspan-exchange-";
    static final String SERVER_FILE = "server";

    /** Names of all files that a keeper makes. */
    static final Pattern FILE_NAMES = Pattern.compile("chunk-[0-9a-f]{16}|" + SERVER_FILE + "(\\.new)?");

    private static final Pattern FOLDER_NAMES = Pattern.compile(PREFIX + "[0-9a-f]{32}");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int MOST_BOOT_ID_BYTES = 64;
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

    static boolean isName(String name) {
        return FOLDER_NAMES.matcher(name).matches();
    }

    /** The name of the file of a chunk. */
    public static String fileName(long chunk) {
        return String.format("chunk-%016x", chunk);
    }

    /** What the file {@code server} holds. */
    static byte[] identity(byte[] serverId) throws IOException {
        String system = Files.exists(BOOT_ID) ? Files.readString(BOOT_ID).strip() : "";
        return (HexFormat.of().formatHex(serverId) + "\n" + system + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Whether the files of a server are within reach: this process is on its host, and runs for the same user. The server may lie: nothing but
     * files of this user with the names of a keeper is believed.
     *
     * @param folder where the server says that they are
     */
    public static boolean isReachable(Path folder, byte[] serverId) {
        try {
            Path file = folder.resolve(SERVER_FILE);
            return folder.isAbsolute()
                    && folder.getFileName() != null
                    && folder.getFileName().toString().equals(name(serverId))
                    && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && isOwn(file)
                    && Files.size(file) <= 2 * serverId.length + MOST_BOOT_ID_BYTES
                    && java.util.Arrays.equals(Files.readAllBytes(file), identity(serverId));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
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

    /** The user of this process, as file systems call it. */
    private static java.nio.file.attribute.UserPrincipal owner() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }
}
