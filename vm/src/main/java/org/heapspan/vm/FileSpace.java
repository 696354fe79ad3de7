package org.heapspan.vm;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Gives the space of parts of a file back to the file system, which Java can do with the end of a file only. Needs the native library, and a file
 * system that knows holes: ext4, XFS, Btrfs and tmpfs do. Thread-safe.
 */
public final class FileSpace {
    // Of errno-base.h and errno.h, the same on all architectures of Linux that Heapspan knows.
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;

    private FileSpace() {}

    /**
     * Makes a hole: the bytes read as zeros from then on, and take no space as far as they fill blocks of the file system. The length of the file
     * stays. What was written there and is not on the device yet is never written.
     *
     * @param channel of the file, open for writing, and stays so until this returns
     * @param offset first byte
     * @param length how many bytes, at least 1
     * @return false if this process or file system cannot do that at all, so that there is no use in trying again
     * @throws IOException if it failed; what of it is done then is not known
     */
    public static boolean makeHole(FileChannel channel, long offset, long length) throws IOException {
        if (VirtualMachine.current().means() != AccessMeans.NATIVE_LIBRARY) {
            return false;
        }
        int error;
        try {
            error = punchHole(channel, offset, length);
        } catch (LinkageError e) {
            // A library of another version, which somebody has named.
            return false;
        }
        if (error == ENOSYS || error == EOPNOTSUPP) {
            return false;
        }
        if (error != 0) {
            throw new IOException("the space of " + length + " bytes at " + offset
                    + " of a file could not be given back: fallocate failed with error " + error);
        }
        return true;
    }

    private static native int punchHole(FileChannel channel, long offset, long length);
}
