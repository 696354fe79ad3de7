package org.heapspan.spark.direct;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds in what a cluster manager says of a lost executor whether it crashed: died by a signal that a process raises by its own fault, as
 * wrong native code does. Those by which others end a process (SIGKILL of the kernel that is out of memory, SIGTERM of a
 * cluster manager) are none.
 *
 * <p>Spark hands on a text only ({@code SparkListenerExecutorRemoved.reason}): {@code Command exited with code 134} from standalone,
 * {@code Exit status: 134} from YARN, {@code exited with exit code 139(SIGSEGV...)} from Kubernetes. The codes are 128 and the number of the signal.
 */
final class CrashSignal {
    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 5, "SIGTRAP", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 11, "SIGSEGV", 31, "SIGSYS");

    private static final int FIRST_CODE = 128;

    private static final Pattern NAME = Pattern.compile("\\b(" + String.join("|", SIGNALS.values()) + ")\\b");
    private static final Pattern CODE = Pattern.compile("(?i)\\bexit[a-z]*\\b\\D{0,30}?\\b(\\d{3})\\b");

    private CrashSignal() {}

    /**
     * Looks for a signal.
     *
     * @param reason what the cluster manager says
     * @return the name of the signal, or null if it was none of those
     */
    static @Nullable String of(String reason) {
        Matcher name = NAME.matcher(reason);
        if (name.find()) {
            return name.group(1);
        }
        Matcher code = CODE.matcher(reason);
        while (code.find()) {
            String signal = SIGNALS.get(Integer.parseInt(code.group(1)) - FIRST_CODE);
            if (signal != null) {
                return signal;
            }
        }
        return null;
    }
}
