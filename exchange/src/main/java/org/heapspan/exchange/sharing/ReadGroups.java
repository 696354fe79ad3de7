package org.heapspan.exchange.sharing;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shared groups that this client has read or published, so that each value is one object. The garbage collector takes those that nobody has used
 * for long when memory is short. No address is used twice, so a group that is here is the right one even if its server has freed it. Thread-safe.
 */
public final class ReadGroups {
    private final Map<Long, Held> groups = new HashMap<>();
    private final ReferenceQueue<SharedGroup> collected = new ReferenceQueue<>();

    private static final class Held extends SoftReference<SharedGroup> {
        final long address;

        Held(SharedGroup group, ReferenceQueue<SharedGroup> queue) {
            super(group, queue);
            address = group.address();
        }
    }

    /** The group at an address, if it is still here. */
    public synchronized @Nullable SharedGroup find(long address) {
        Held held = groups.get(address);
        return held == null ? null : held.get();
    }

    /** Adds a group, unless another thread was faster; returns the one that counts. */
    public synchronized SharedGroup add(SharedGroup group) {
        for (Object held = collected.poll(); held != null; held = collected.poll()) {
            if (held instanceof Held old) {
                groups.remove(old.address, old);
            }
        }
        SharedGroup present = find(group.address());
        if (present != null) {
            return present;
        }
        groups.put(group.address(), new Held(group, collected));
        return group;
    }
}
