package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.memory.MemoryStore;

/**
 * Where a {@link BlockManager} keeps its store of blocks in memory.
 *
 * <p>Relies on {@code core/.../storage/BlockManager.scala} (lazy value {@code memoryStore}) of Spark 4.3. Lazy values are fields that are not final.
 */
final class MemoryStoreField {
    private static final String NAME = "memoryStore";

    private final BlockManager manager;
    private final Field field;

    private MemoryStoreField(BlockManager manager, Field field) {
        this.manager = manager;
        this.field = field;
    }

    /**
     * Finds it.
     *
     * @throws ReflectiveOperationException if this version of Spark keeps it elsewhere, or this JVM does not let it be written
     */
    static MemoryStoreField of(BlockManager manager) throws ReflectiveOperationException {
        return new MemoryStoreField(manager, WritableField.of(BlockManager.class, NAME, MemoryStore.class));
    }

    /**
     * Writes it.
     *
     * @throws ReflectiveOperationException if the block manager does not use it; then nothing has changed
     */
    void set(MemoryStore store) throws ReflectiveOperationException {
        // Makes Spark's, if it has not been made yet: later it would take the place of ours.
        MemoryStore before = manager.memoryStore();
        field.set(manager, store);
        if (manager.memoryStore() != store) {
            field.set(manager, before);
            throw new NoSuchFieldException("BlockManager.memoryStore() does not return the field of that name");
        }
    }
}
