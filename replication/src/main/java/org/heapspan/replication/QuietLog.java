package org.heapspan.replication;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Ratis tells of each step at the level at which a program expects what it should know. */
final class QuietLog {
    /** Held, because a logger that nobody holds forgets its level. */
    private static final Logger RATIS = Logger.getLogger("org.apache.ratis");

    private QuietLog() {}

    /** As far as nobody has said otherwise. */
    static void set() {
        if (RATIS.getLevel() == null) {
            RATIS.setLevel(Level.SEVERE);
        }
    }
}
