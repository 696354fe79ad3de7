package org.heapspan.image.engine;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.heapspan.HeapspanException;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.jspecify.annotations.Nullable;

/**
 * A number that is the same for two copies of a graph only if the keys of their hash containers hash alike, and so are in the same order.
 * Keys that hash by identity make it another one for each copy.
 */
final class KeyHashes {
    private static final int MOST_OBJECTS = 1_000_000;

    private final CodecRegistry registry;
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Object> queue = new ArrayDeque<>();
    private long sum;

    private KeyHashes(CodecRegistry registry) {
        this.registry = registry;
    }

    /**
     * Computes the number.
     *
     * @throws IllegalStateException if the graph is too large to say
     * @throws RuntimeException what a hash code fails with
     */
    static long of(CodecRegistry registry, @Nullable Object root) {
        KeyHashes hashes = new KeyHashes(registry);
        hashes.add(root);
        for (Object next = hashes.queue.poll(); next != null; next = hashes.queue.poll()) {
            if (hashes.seen.size() > MOST_OBJECTS) {
                throw new IllegalStateException("more than " + MOST_OBJECTS + " objects");
            }
            hashes.expand(next);
        }
        return hashes.sum;
    }

    private void add(@Nullable Object object) {
        if (object != null && !registry.codecOf(object.getClass()).has(Codec.LEAF) && seen.add(object)) {
            queue.add(object);
        }
    }

    private void expand(Object object) {
        if (object instanceof Object[] array) {
            for (Object element : array) {
                add(element);
            }
        } else if (object instanceof IdentityHashMap<?, ?> map) {
            map.forEach((key, value) -> {
                addKey(key, System.identityHashCode(key));
                add(value);
            });
        } else if (object instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                addKey(key, key == null ? 0 : key.hashCode());
                add(value);
            });
        } else if (object instanceof Set<?> set) {
            set.forEach(key -> addKey(key, key == null ? 0 : key.hashCode()));
        } else if (object instanceof Collection<?> collection && JdkClasses.contain(object.getClass())) {
            collection.forEach(this::add);
        } else {
            expandFields(object);
        }
    }

    private void addKey(@Nullable Object key, int hash) {
        // The order in which objects are met may differ, so that only a sum will do.
        long mixed = (hash + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        sum += mixed ^ mixed >>> 31;
        add(key);
    }

    private void expandFields(Object object) {
        for (Class<?> c = object.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : ClassFields.instanceFields(c)) {
                if (ClassFields.travels(field, registry.mode)
                        && !field.getType().isPrimitive()) {
                    try {
                        add(new FieldAccess(field).getReference(object));
                    } catch (HeapspanException outOfReach) {
                        // Raw images need raw memory, to which everything is within reach.
                    }
                }
            }
        }
    }
}
