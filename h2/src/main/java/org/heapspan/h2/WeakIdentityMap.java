package org.heapspan.h2;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Values by objects, told apart by identity, as long as something else refers to them. Thread-safe. */
final class WeakIdentityMap<V> {
    private final Map<Object, V> values = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> dead = new ReferenceQueue<>();

    /** A key that holds nothing alive; equal to itself and to others of the same object. */
    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object object, ReferenceQueue<Object> queue) {
            super(object, queue);
            hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || other instanceof Key key && get() != null && refersTo(key.get());
        }
    }

    /** What is looked for. */
    private record Sought(Object object) {
        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }

        /** Also to a key, which is what the map compares it with. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key ? key.refersTo(object) : other instanceof Sought sought && isSame(sought);
        }

        @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
        private boolean isSame(Sought other) {
            return object == other.object;
        }
    }

    @Nullable
    V get(Object object) {
        return values.get(new Sought(object));
    }

    void put(Object object, V value) {
        for (Reference<?> gone = dead.poll(); gone != null; gone = dead.poll()) {
            values.remove(gone);
        }
        values.put(new Key(object, dead), value);
    }

    /** How many keys there are, some perhaps of objects that are gone. */
    int size() {
        return values.size();
    }
}
