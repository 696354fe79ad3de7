package org.heapspan.vm;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets whoever started this JVM decide whether the direct engine may be opened in it, where a property comes too early: a member of a cluster
 * that has to ask how others fared with it on this machine. Asked once, by the first thread that wants the direct engine.
 * Thread-safe.
 */
public final class DirectEngineGate {
    private static volatile @Nullable Supplier<@Nullable String> guard;

    private DirectEngineGate() {}

    /**
     * Sets who decides. Without effect once the direct engine has been asked for; then use {@link Carver#switchOff}.
     *
     * @param newGuard returns null if the direct engine may be opened, else why not, for {@link VirtualMachine#findings}; it may take its
     *     time, but the first reader of a raw image waits for it
     */
    public static void close(Supplier<@Nullable String> newGuard) {
        guard = newGuard;
    }

    /** Why the direct engine must not be opened; null if it may. */
    static @Nullable String veto() {
        Supplier<@Nullable String> asked = guard;
        return asked == null ? null : asked.get();
    }
}
