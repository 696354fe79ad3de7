package org.heapspan.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether other users can replace files in a folder: whoever may write to it can rename and delete what others have there, unless its sticky bit is
 * set. A name that was made there need not lead to the same file any more then.
 */
public final class FolderProtection {
    private static final String MODE = "unix:mode";
    private static final int PERMISSIONS = 07777;
    private static final int WRITABLE_BY_ALL = 0002;
    private static final int STICKY = 01000;

    private FolderProtection() {}

    /**
     * Refuses a folder in which every user can replace files of others. Where the file system knows no modes, nothing is refused.
     *
     * @param folder that there is
     * @throws IOException if it is one, or nothing can be known of it
     */
    public static void check(Path folder) throws IOException {
        if (!folder.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        int mode = (int) Files.getAttribute(folder, MODE) & PERMISSIONS;
        if ((mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0) {
            throw new IOException(folder + " has mode " + Integer.toOctalString(mode)
                    + ", so every user can replace files of others there; remove that permission (chmod o-w)"
                    + " or set the sticky bit (chmod +t)");
        }
    }
}
