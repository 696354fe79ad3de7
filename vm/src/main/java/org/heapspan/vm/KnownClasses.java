package org.heapspan.vm;

/**
 * Sizes of the classes whose facts were given out, by class word, where native code finds them: it walks over objects with it.
 *
 * <p>An open hash table in native memory, of which {@code native/src/carving/class_words.h} says how it lies. Nothing is removed and
 * nothing holds a class: once the JVM uses a class word again, {@link #put} replaces the entry before anyone can ask for the new
 * class. Tables that were outgrown are kept, because a window may still read one; together they are smaller than the newest.
 * Thread-safe.
 */
final class KnownClasses {
    private static final int FIRST_CAPACITY = 256;
    private static final int ENTRIES_OFFSET = 8;
    private static final int ENTRY_BYTES = 16;

    private final RawMemory memory;

    /** Where native code reads the address of the table. */
    private final long tableCell;

    private long table;
    private long capacity;
    private long size;

    KnownClasses(RawMemory memory, long tableCell) {
        this.memory = memory;
        this.tableCell = tableCell;
        capacity = FIRST_CAPACITY;
        table = allocate(capacity);
        publish();
    }

    synchronized void put(long classWord, int layoutHelper) {
        if (size >= capacity / 2) {
            grow();
        }
        long entry = find(table, capacity, classWord);
        memory.putLong(null, entry + 8, layoutHelper);
        if (memory.getLong(null, entry) == 0) {
            memory.storeFence();
            memory.putLong(null, entry, classWord);
            size++;
        }
    }

    private void grow() {
        long larger = allocate(capacity * 2);
        for (long i = 0; i < capacity; i++) {
            long entry = table + ENTRIES_OFFSET + i * ENTRY_BYTES;
            long word = memory.getLong(null, entry);
            if (word != 0) {
                long copy = find(larger, capacity * 2, word);
                memory.putLong(null, copy, word);
                memory.putLong(null, copy + 8, memory.getLong(null, entry + 8));
            }
        }
        table = larger;
        capacity *= 2;
        publish();
    }

    private long allocate(long entries) {
        long bytes = ENTRIES_OFFSET + entries * ENTRY_BYTES;
        long address = memory.allocateMemory(bytes);
        memory.setMemory(null, address, bytes, (byte) 0);
        memory.putLong(null, address, entries);
        return address;
    }

    private void publish() {
        memory.storeFence();
        memory.putLong(null, tableCell, table);
    }

    /** The entry of a word, or the free one where it belongs. */
    private long find(long address, long entries, long word) {
        long i = word * 0x9e3779b97f4a7c15L >>> 32;
        while (true) {
            long entry = address + ENTRIES_OFFSET + (i & entries - 1) * ENTRY_BYTES;
            long found = memory.getLong(null, entry);
            if (found == word || found == 0) {
                return entry;
            }
            i++;
        }
    }
}
