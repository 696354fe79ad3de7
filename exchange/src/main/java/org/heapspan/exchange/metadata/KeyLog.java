package org.heapspan.exchange.metadata;

import java.io.IOException;
import java.util.UUID;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/** Takes down changes of keys, and perhaps of groups, before anybody sees them. */
public interface KeyLog {
    /** Of a server whose keys end with it. */
    KeyLog NONE = new KeyLog() {
        @Override
        public void written(long address, long sizeBytes, int checksum) {
            // Nobody needs the bytes later.
        }

        @Override
        public long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) {
            return 0;
        }

        @Override
        public void await(long change) {
            // Nothing was promised.
        }

        @Override
        public long last() {
            return 0;
        }

        @Override
        public boolean isSafe(long change) {
            return true;
        }
    };

    /** Whether groups without keys are taken down too, and which groups others need. If not, only keys are, and their groups need no others. */
    default boolean takesGroups() {
        return false;
    }

    /**
     * The bytes of a group are there that is about to be taken down. Called without locks, and again for the same bytes if it was not taken down and
     * its client tries again.
     *
     * @throws FullException if those who should have them, too, have no room for them
     * @throws IOException if they could not be forced to the device: nothing changes then
     */
    void written(long address, long sizeBytes, int checksum) throws IOException;

    /**
     * A key or a group is about to change. Called for one change after the other.
     *
     * @param former what the key leads to until now, or null
     * @param number that the client has given to the change, or null
     * @return the number of the change, larger than the one before
     * @throws IOException if that could not be taken down: nothing changes then
     */
    long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) throws IOException;

    /**
     * Waits until a change may be answered. Called without locks.
     *
     * @throws IOException if it could not be forced to the device
     */
    void await(long change) throws IOException;

    /** The version of a key after a change that was made already with this number, 0 if it was removed. Null if there is no such change. */
    default @Nullable Long outcome(UUID number) {
        return null;
    }

    /**
     * Nobody will need a group that was {@linkplain #written written}, or nearly so: its client has given it up, and its address is not used again.
     * Called without locks.
     */
    default void abandoned(long address) {
        // Its space is freed like any other.
    }

    /** The number of the last change. */
    long last();

    /** Whether this change and all before it would survive a crash of the host, so that nobody needs what they have replaced. */
    boolean isSafe(long change);
}
