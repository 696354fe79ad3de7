package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the processes took that this one has started, and that have ended. */
public final class EndedProcesses {
    private static final Path STATUS = Path.of("/proc/self/stat");

    /** Behind the name, which stands in brackets. */
    private static final int USER_TICKS = 13;

    private static final int SYSTEM_TICKS = 14;
    private static final double TICKS_PER_SECOND = 100;

    private EndedProcesses() {}

    /**
     * User and system time, with that of the processes that these have started and waited for.
     *
     * @throws IOException if the system does not tell
     */
    public static double cpuSeconds() throws IOException {
        String status = Files.readString(STATUS);
        String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
    }
}
