package org.heapspan.h2;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows which threads are within an update of a handle, whose lock they hold while the user's function runs. A move wants that lock while it
 * holds its label: a thread that waited for a move in there could wait for ever, whatever the handles and heaps.
 */
final class UpdateScope {
    /** How many updates a thread is in, one within the other; nothing of most threads. */
    private static final ThreadLocal<@Nullable Integer> DEPTH = new ThreadLocal<>();

    private UpdateScope() {}

    static <T> T call(Supplier<T> update) {
        Integer outer = enter();
        try {
            return update.get();
        } finally {
            leave(outer);
        }
    }

    static void run(Runnable update) {
        Integer outer = enter();
        try {
            update.run();
        } finally {
            leave(outer);
        }
    }

    private static @Nullable Integer enter() {
        Integer outer = DEPTH.get();
        DEPTH.set(outer == null ? 1 : outer + 1);
        return outer;
    }

    private static void leave(@Nullable Integer outer) {
        if (outer == null) {
            DEPTH.remove();
        } else {
            DEPTH.set(outer);
        }
    }

    /** Whether this thread must not wait for a move. */
    static boolean isEntered() {
        return DEPTH.get() != null;
    }
}
