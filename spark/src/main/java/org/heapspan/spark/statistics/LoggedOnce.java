package org.heapspan.spark.statistics;

import java.util.HashSet;
import java.util.Set;

/**
 * Which of the things that may come again and again have been logged. After {@value #MOST} of them it lets nothing more through: a session may run
 * for months, and a log that long has told what it is about. Thread-safe.
 */
final class LoggedOnce {
    static final int MOST = 1000;

    private final Set<String> logged = new HashSet<>();

    /**
     * Whether to log something; called again for it, it says no.
     *
     * @param what the thing
     */
    synchronized boolean isFirst(String what) {
        return logged.size() < MOST && logged.add(what);
    }

    /** Forgets everything. */
    synchronized void startOver() {
        logged.clear();
    }
}
