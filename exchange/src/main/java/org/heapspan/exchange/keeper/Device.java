package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.heapspan.exchange.metadata.FullException;

/** The device of a folder with files of chunks, when it has no room. */
public final class Device {
    /** What Linux says (ENOSPC, EDQUOT) in the locale C. */
    private static final Set<String> NO_ROOM = Set.of("No space left on device", "Disk quota exceeded");

    private Device() {}

    static FullException full(Path folder, String found) {
        return new FullException("the device of " + folder + " " + found
                + "; remove keys, close handles, or delete other files of this device");
    }

    /**
     * Why bytes could not be written to a file of a folder.
     *
     * @param sizeBytes how many they are
     * @return a {@link FullException} if the device has no room for them, otherwise what the system said
     */
    public static IOException reason(IOException failure, Path folder, long sizeBytes) {
        if (failure instanceof ClosedChannelException) {
            return failure;
        }
        try {
            // In another locale the system says it in other words.
            boolean isFull = NO_ROOM.contains(failure.getMessage())
                    || Files.getFileStore(folder).getUsableSpace() < sizeBytes;
            return isFull
                    ? full(folder, "has no room for " + sizeBytes + " more bytes (" + failure.getMessage() + ")")
                    : failure;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return failure;
        }
    }
}
