package org.heapspan.image.memory;

import java.lang.ref.SoftReference;
import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.vm.HeapLayout;
import org.heapspan.vm.HotSpotFacts;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the objects of one identity scope in the order in which they are first seen, for graphs of any size.
 *
 * <p>It holds on to the objects, and hashes by address where the collector moves objects only in pauses that it counts: after
 * each pause the table is built anew from the objects. Elsewhere it hashes by {@link System#identityHashCode}, after a first few
 * objects that a plain scan finds faster than the JVM can make up identity hashes for them. {@code ImageWriter} has a faster way
 * for small records, which falls back to this one.
 *
 * <p>Not thread-safe; belongs to one writer.
 */
public final class IdentityTable {
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_OBJECTS = 1 << CHUNK_SHIFT;
    private static final int INITIAL_TABLE_SHIFT = 6;
    private static final int SCANNED_OBJECTS = 24;
    /** Beyond this table objects are numbered by their places in the heap, where references are compressed. */
    private static final int PAGES_FROM_ENTRIES = 1 << 17;
    /** A table up to this size is kept for the next scope. */
    private static final int SMALL_ENTRIES = 1 << 16;
    /** The next larger size. Such a table is kept until the JVM is short of memory. Still larger ones are not kept: a table is emptied for each scope. */
    private static final int LARGE_ENTRIES = SMALL_ENTRIES << 2;

    /** The largest power of two that is the length of an array; four times it would not be an int. */
    private static final int MOST_TABLE_ENTRIES = 1 << 30;

    private final Addresses addresses;
    /**
     * Stores of objects, each an {@code Object[]}. Declared as plain objects because the JIT does not compile a raw read of an
     * element into a load where it knows the array to hold references.
     */
    private Object[] chunks = new Object[1];

    private int count;

    /** Entries are key:u32 position:u32; position is {@code base + index}, and an entry below the base is empty. */
    private long[] table = new long[1 << INITIAL_TABLE_SHIFT];

    /** The table to begin a scope with, while the scope has a larger one. */
    private long[] small = table;

    private @Nullable SoftReference<long[]> large;

    private int base = 1;
    private int pauses;

    /** Entries of the table whose objects have no number. */
    private int leftBehind;

    /** In place of the table once there are many objects. */
    private @Nullable AddressPages pages;

    public IdentityTable(Addresses addresses) {
        this.addresses = addresses;
        chunks[0] = new Object[64];
    }

    /** How many objects have been numbered in this scope. */
    public int count() {
        return count;
    }

    /** The object that has a number. */
    public Object object(int number) {
        return ((Object[]) chunks[number >>> CHUNK_SHIFT])[number & CHUNK_OBJECTS - 1];
    }

    /** Forgets all objects; the next one is number 0 again. */
    public void clear() {
        for (int first = 0; first < count; first += CHUNK_OBJECTS) {
            Object[] chunk = (Object[]) chunks[first >>> CHUNK_SHIFT];
            Arrays.fill(chunk, 0, Math.min(count - first, chunk.length), null);
        }
        if (chunks.length > 8) {
            chunks = new Object[] {chunks[0]};
        }
        if (table != small || base > Integer.MAX_VALUE / 2) {
            table = small;
            Arrays.fill(table, 0);
            base = 1;
        } else {
            // What was left behind may have the number behind the last.
            base += count + 1;
        }
        count = 0;
        leftBehind = 0;
        pages = null;
        pauses = addresses.pauses();
    }

    /** Forgets the objects that were numbered after the first few. */
    public void cutTo(int firstCount) {
        if (firstCount == count) {
            return;
        }
        for (int index = firstCount; index < count; index++) {
            forget(index);
        }
        count = firstCount;
        rebuild();
    }

    /** Gives an object its number without making it findable: for objects to which nothing can refer again. */
    public void skip(Object object) {
        append(object);
        if (endsScans()) {
            rebuild();
        } else if (!scans()) {
            insert(count - 1);
        }
    }

    /**
     * Finds an object's number or gives it the next one.
     *
     * @return the number of an object seen before, or -1 for one that has just been numbered
     */
    public int track(Object object) {
        if (scans()) {
            Object[] first = (Object[]) chunks[0];
            for (int index = 0; index < count; index++) {
                if (first[index] == object) {
                    return index;
                }
            }
            append(object);
            if (endsScans()) {
                rebuild();
            }
            return -1;
        }
        append(object);
        int index = count - 1;
        int found = insert(index);
        if (found >= 0) {
            count--;
            forget(index);
        }
        return found;
    }

    /**
     * Finds an object's number without giving it one.
     *
     * @return the number of an object seen before, or -1
     */
    public int find(Object object) {
        int found = track(object);
        if (found < 0) {
            takeBackLatest();
        }
        return found;
    }

    /** Takes back the number of the object that got the latest one. */
    public void takeBackLatest() {
        // Its entry may stay: whoever comes upon it compares the object at that number.
        count--;
        forget(count);
        leftBehind++;
    }

    private void forget(int index) {
        ((Object[]) chunks[index >>> CHUNK_SHIFT])[index & CHUNK_OBJECTS - 1] = null;
    }

    private boolean scans() {
        return !addresses.available() && count <= SCANNED_OBJECTS;
    }

    /** Whether the latest object is the first for which the table is used, which has none of those before it. */
    private boolean endsScans() {
        return !addresses.available() && count == SCANNED_OBJECTS + 1;
    }

    private void append(Object object) {
        int chunkIndex = count >>> CHUNK_SHIFT;
        if (chunkIndex == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunks.length * 2);
        }
        Object[] chunk = (Object[]) chunks[chunkIndex];
        int slot = count & CHUNK_OBJECTS - 1;
        if (chunk == null) {
            chunk = new Object[CHUNK_OBJECTS];
            chunks[chunkIndex] = chunk;
        } else if (slot == chunk.length) {
            chunk = Arrays.copyOf(chunk, Math.min(CHUNK_OBJECTS, chunk.length * 4));
            chunks[chunkIndex] = chunk;
        }
        chunk[slot] = object;
        count++;
    }

    /** Inserts the object at an index of the store, or finds the index at which the same object was inserted before. */
    private int insert(int index) {
        if (pages == null && (count + (long) leftBehind) * 2 > table.length) {
            makeRoom();
        }
        while (true) {
            Object chunk = chunks[index >>> CHUNK_SHIFT];
            int key = keyOf(chunk, index & CHUNK_OBJECTS - 1);
            if (addresses.available() && addresses.pauses() != pauses) {
                // A pause since the table was built: what it says and the key may be of different times.
                count--;
                rebuild();
                count++;
                continue;
            }
            Object object = ((Object[]) chunk)[index & CHUNK_OBJECTS - 1];
            if (pages != null) {
                return insertIntoPages(pages, key, index, object);
            }
            long[] entries = table;
            int mask = entries.length - 1;
            int slot = slotOf(key, entries.length);
            while (true) {
                long entry = entries[slot];
                int position = (int) entry;
                if (position < base) {
                    entries[slot] = (long) key << 32 | (base + index);
                    return -1;
                }
                if ((int) (entry >>> 32) == key) {
                    int found = position - base;
                    if (found != index && object(found) == object) {
                        return found;
                    }
                }
                slot = slot + 1 & mask;
            }
        }
    }

    private int insertIntoPages(AddressPages numbers, int key, int index, Object object) {
        int found = numbers.putIfAbsent(key, index);
        if (found >= 0) {
            if (found < index && object(found) == object) {
                return found;
            }
            // Left behind by an object that was taken back.
            numbers.put(key, index);
        }
        return -1;
    }

    private int keyOf(Object chunk, int slot) {
        return addresses.available()
                ? addresses.ofElement(chunk, slot)
                : System.identityHashCode(((Object[]) chunk)[slot]);
    }

    private void makeRoom() {
        // Else most of what fills the table was left behind.
        if (count * 4L > table.length) {
            if (table.length >= PAGES_FROM_ENTRIES) {
                pages = addresses.newPages();
            }
            table = pages == null ? larger() : new long[1];
        }
        count--;
        rebuild();
        count++;
    }

    /** An empty table, or one that is to be emptied. */
    private long[] larger() {
        int entries = moreEntries(table.length);
        if (entries <= SMALL_ENTRIES) {
            small = new long[entries];
            return small;
        }
        if (entries > LARGE_ENTRIES) {
            return new long[entries];
        }
        long[] kept = large == null ? null : large.get();
        if (kept == null) {
            kept = new long[LARGE_ENTRIES];
            large = new SoftReference<>(kept);
        }
        return kept;
    }

    /** The size of the next larger table. */
    static int moreEntries(int entries) {
        if (entries >= MOST_TABLE_ENTRIES) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an identity scope holds more than " + MOST_TABLE_ENTRIES / 2
                            + " objects, the most that can be told apart without compressed references; write them in several"
                            + " graphs, or reset the stream");
        }
        return entries * 4;
    }

    private void rebuild() {
        int pausesBefore;
        do {
            pausesBefore = addresses.pauses();
            Arrays.fill(table, 0);
            base = 1;
            leftBehind = 0;
            AddressPages numbers = pages;
            if (numbers != null) {
                numbers.clear();
            }
            for (int index = 0; index < count; index++) {
                int key = keyOf(chunks[index >>> CHUNK_SHIFT], index & CHUNK_OBJECTS - 1);
                if (numbers != null) {
                    numbers.put(key, index);
                    continue;
                }
                int slot = slotOf(key, table.length);
                while ((int) table[slot] != 0) {
                    slot = slot + 1 & table.length - 1;
                }
                table[slot] = (long) key << 32 | (base + index);
            }
        } while (addresses.available() && addresses.pauses() != pausesBefore);
        pauses = pausesBefore;
    }

    static int slotOf(int key, int tableLength) {
        // Fibonacci hashing: addresses differ in their low bits, and the high bits of the product depend on all of
        // them.
        return (key * 0x9E3779B9) >>> Integer.numberOfLeadingZeros(tableLength) + 1;
    }

    /** Addresses of objects as hash keys, valid as long as the count of collection pauses stays the same. */
    public static final class Addresses {
        private final @Nullable RawMemory memory;
        private final long counterAddress;
        private final long arrayBase;
        private final int referenceSizeBytes;

        Addresses(@Nullable RawMemory memory, long counterAddress) {
            this.memory = counterAddress == 0 ? null : memory;
            this.counterAddress = counterAddress;
            this.arrayBase = memory == null ? 0 : memory.arrayBaseOffset(Object[].class);
            this.referenceSizeBytes = memory == null ? 4 : memory.arrayIndexScale(Object[].class);
        }

        boolean available() {
            return memory != null;
        }

        /** Pages for places in this heap, or null if references do not lead to places that easily. */
        @Nullable
        AddressPages newPages() {
            HotSpotFacts facts = Access.MACHINE.hotSpotFacts();
            HeapLayout layout = Access.MACHINE.heapLayout();
            return memory == null || referenceSizeBytes != 4 || facts == null || !layout.isKnown()
                    ? null
                    : new AddressPages(layout, facts);
        }

        /** How many collection pauses there have been, modulo 2^32; a constant where addresses are not available. */
        public int pauses() {
            RawMemory raw = memory;
            return raw == null ? 0 : raw.getIntVolatile(null, counterAddress);
        }

        /** A hash key of the object in a slot: its compressed reference, or a fold of the full one. */
        int ofElement(Object array, int index) {
            RawMemory raw = memory;
            if (raw == null) {
                return 0;
            }
            if (referenceSizeBytes == 4) {
                return raw.getInt(array, arrayBase + 4L * index);
            }
            long reference = raw.getLong(array, arrayBase + 8L * index);
            return (int) (reference >>> 3) ^ (int) (reference >>> 35);
        }
    }
}
