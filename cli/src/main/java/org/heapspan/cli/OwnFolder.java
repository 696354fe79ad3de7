package org.heapspan.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;
import org.heapspan.vm.FolderProtection;

/** Folders for what only the user of this process may write, because it becomes a part of what the user runs. Linux only. */
final class OwnFolder {
    static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rwx------");

    private static final String OWNER = "unix:uid";
    private static final int ROOT = 0;

    private OwnFolder() {}

    /**
     * Makes a folder within another one of this user, which it makes, too.
     *
     * @return its path, which follows no link
     * @throws IOException if it cannot be made, or if others could write, replace or have made one of the two
     */
    static Path make(Path folder) throws IOException {
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(MODE));
        Path made = folder.toRealPath();
        int user = user();
        check(made, user);
        Path outer = parent(made);
        check(outer, user);
        checkPlace(parent(outer));
        return made;
    }

    private static Path parent(Path folder) {
        Path parent = folder.getParent();
        return parent == null ? folder : parent;
    }

    /** The number of the user that this process runs as. */
    static int user() throws IOException {
        return ownerOf(Path.of("/proc/self"));
    }

    private static int ownerOf(Path folder) throws IOException {
        return (int) Files.getAttribute(folder, OWNER);
    }

    /**
     * Refuses a folder of another user, and one to which others may write.
     *
     * @param user to whom it must belong
     * @throws IOException if it is one
     */
    static void check(Path folder, int user) throws IOException {
        checkOwner(folder, ownerOf(folder), user);
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(folder);
        if (mode.contains(PosixFilePermission.GROUP_WRITE) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(folder + " has the mode " + PosixFilePermissions.toString(mode)
                    + ", so other users may have put files there; remove it");
        }
    }

    /**
     * Refuses a folder in which others can replace files, and one of a user who is neither that of this process nor root.
     *
     * @throws IOException if it is one
     */
    static void checkPlace(Path folder) throws IOException {
        FolderProtection.check(folder);
        int owner = ownerOf(folder);
        if (owner != ROOT) {
            checkOwner(folder, owner, user());
        }
    }

    private static void checkOwner(Path folder, int owner, int user) throws IOException {
        if (owner != user) {
            throw new IOException(folder + " belongs to the user " + owner + ", and this process to " + user
                    + "; name another folder (XDG_CACHE_HOME)");
        }
    }

    /** Deletes a folder with all that is in it, if it is there. Links are not followed. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
