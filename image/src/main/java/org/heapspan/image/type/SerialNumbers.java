package org.heapspan.image.type;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Dense numbers for objects that come and go with the classes of a program. A number is given out again once its object is gone, so
 * that tables by these numbers grow with the classes in use and not with all that ever were.
 *
 * <p>Thread-safe. Whoever remembers a number for longer than its object has to notice by other means that it means another one.
 */
public final class SerialNumbers {
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

    /** Keeps the references themselves alive until their objects are gone. */
    private final Set<Reference<?>> holders = new HashSet<>();

    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int next;

    private static final class Holder extends PhantomReference<Object> {
        private final int serial;

        Holder(Object object, int serial, ReferenceQueue<Object> queue) {
            super(object, queue);
            this.serial = serial;
        }
    }

    /** Gives a number to an object. */
    public synchronized int give(Object object) {
        for (Reference<?> left = gone.poll(); left != null; left = gone.poll()) {
            if (holders.remove(left)) {
                free.push(((Holder) left).serial);
            }
        }
        int serial = free.isEmpty() ? next++ : free.pop();
        holders.add(new Holder(object, serial, gone));
        return serial;
    }
}
