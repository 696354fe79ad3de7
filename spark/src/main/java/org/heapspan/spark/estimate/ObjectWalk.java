package org.heapspan.spark.estimate;

import java.util.Arrays;
import org.apache.spark.heapspan.SizeRules;
import org.heapspan.spark.estimate.ObjectShape.Kind;
import org.heapspan.vm.HeapLayout;
import org.heapspan.vm.HotSpotFacts;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/**
 * One estimate: visits all objects that can be reached from an object, in the order of Spark's {@code SizeEstimator}, and adds up their sizes.
 *
 * <p>Objects are distinguished by the bits of references (decision 0001). These are valid until the collector moves objects. It does so in pauses, which the JVM
 * counts. After a pause the walk starts again. After {@value #MOST_ATTEMPTS} attempts it gives up. If other threads change the objects during the walk, the result
 * is inexact, as Spark's is.
 *
 * <p>Not thread-safe. There is a new instance for each estimate, and only the instance refers to the visited objects: stores into young objects are cheap, and
 * nothing needs to be cleared.
 */
final class ObjectWalk {
    /** The result of a walk that gave up. */
    static final long GAVE_UP = -1;

    private static final @Nullable RawMemory MEMORY = VirtualMachine.current().memory();
    private static final HeapLayout LAYOUT = VirtualMachine.current().heapLayout();
    private static final long PAUSES = VirtualMachine.current().collectionCounterAddress();
    private static final int SCALE = LAYOUT.referenceSizeBytes();
    private static final long BASE = LAYOUT.referenceArrayBaseOffset();
    private static final boolean HAS_SHORT_REFERENCES = SCALE == Integer.BYTES;
    private static final int PLACE_SHIFT = placeShift();

    /** The bits of the header that identify the class. With compact headers these are the upper 22 bits of the one word ({@code markWord.hpp}, JDK 24 and 25). */
    private static final long CLASS_MASK = LAYOUT.compactHeaders()
            ? -1L << 42
            : LAYOUT.classWordSizeBytes() == Integer.BYTES ? (1L << Integer.SIZE) - 1 : -1L;

    // Not final: C2 does not compile a read of a known header offset into a load
    // (LibraryCallKit::inline_unsafe_access).
    private static long classOffset = LAYOUT.classWordOffset();
    private static long lengthOffset = LAYOUT.arrayLengthOffset();

    private static final int MOST_ATTEMPTS = 3;
    private static final int STEPS_BETWEEN_LOOKS = 1 << 10;
    private static final int FIRST_STACK = 32;
    private static final int CLASSES_SHIFT = 4;
    private static final int CLASSES = 1 << CLASSES_SHIFT;
    private static final long[] NO_OFFSETS = {};

    private final SizeRules rules;
    private final ClassValue<ObjectShape> shapes;
    private final VisitedPlaces visited;
    private final SampledIndexes samples;

    /** The first object. It needs a check of its own, because no slot with a reference to it is known. */
    private final Object root;

    /** Objects to visit, each followed by its shape. */
    private @Nullable Object[] stack = new Object[FIRST_STACK];

    private int top;

    /**
     * Class words of recently found classes. A newer class replaces an older one. While the table refers to a class, the class cannot be unloaded, and its class
     * word cannot become that of another class.
     */
    private final long[] classWords = new long[CLASSES];

    /** For each class word, the shape and the class. */
    private final @Nullable Object[] classes = new Object[2 * CLASSES];

    private int pauses;
    private int steps;
    private boolean isOutdated;

    private ObjectWalk(SizeRules rules, ClassValue<ObjectShape> shapes, WalkTables tables, Object root) {
        this.rules = rules;
        this.shapes = shapes;
        this.visited = tables.visited;
        this.samples = tables.samples;
        this.root = root;
    }

    /** Whether objects can be distinguished by the bits of references on this JVM. */
    static boolean isPossible() {
        return MEMORY != null && PAUSES != 0 && LAYOUT.isKnown();
    }

    static RawMemory memory() {
        RawMemory memory = MEMORY;
        if (memory == null) {
            throw new IllegalStateException("raw memory is not accessible on this JVM; call isPossible() first");
        }
        return memory;
    }

    /**
     * Computes the size of an object and of all objects that can be reached from it.
     *
     * @param tables no other walk may use them until this one ends
     * @return the size in bytes, or {@link #GAVE_UP}
     */
    static long bytes(Object root, SizeRules rules, ClassValue<ObjectShape> shapes, WalkTables tables) {
        ObjectShape shape = shapes.get(root.getClass());
        if (shape.kind() == Kind.LEAF) {
            return shape.bytes();
        } else if (shape.kind() == Kind.TOLD) {
            return SizeRules.toldBytes(root);
        }
        return new ObjectWalk(rules, shapes, tables, root).bytes(shape);
    }

    private long bytes(ObjectShape ofRoot) {
        if (ofRoot.kind() == Kind.NUMBERS) {
            return arrayBytes(length(root), ofRoot);
        }
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            pauses = memory().getIntVolatile(null, PAUSES);
            isOutdated = false;
            visited.startOver();
            top = 0;
            long bytes = visit(root, ofRoot);
            if (!isOutdated && !hasPaused()) {
                return bytes;
            }
        }
        return GAVE_UP;
    }

    private boolean hasPaused() {
        return memory().getIntVolatile(null, PAUSES) != pauses;
    }

    /** Visits an object and all objects that are found from there. Returns their bytes. */
    private long visit(Object first, ObjectShape ofFirst) {
        int bottom = top;
        long bytes = 0;
        Object object = first;
        ObjectShape shape = ofFirst;
        while (true) {
            if (++steps % STEPS_BETWEEN_LOOKS == 0 && hasPaused()) {
                isOutdated = true;
            }
            if (isOutdated) {
                top = bottom;
                return 0;
            }
            long[] offsets = shape.references();
            int count = offsets.length;
            if (shape.kind() == Kind.INSTANCE) {
                bytes += shape.bytes();
            } else if (shape.kind() == Kind.REFERENCES) {
                count = length(object);
                bytes += arrayBytes(count, shape);
                if (count > rules.mostSearched()) {
                    bytes += sampleBytes(object, count);
                    count = 0;
                }
                offsets = NO_OFFSETS;
            } else {
                bytes += SizeRules.toldBytes(object);
            }
            // The object that was found last is visited next, and is not pushed onto the stack.
            Object next = null;
            ObjectShape ofNext = null;
            for (int i = 0; i < count; i++) {
                Object found = found(object, offsets.length == 0 ? elementOffset(i) : offsets[i]);
                if (found == null) {
                    continue;
                }
                ObjectShape ofFound = shapeOf(found);
                if (ofFound.kind() == Kind.LEAF) {
                    bytes += ofFound.bytes();
                } else if (ofFound.kind() == Kind.NUMBERS) {
                    bytes += arrayBytes(length(found), ofFound);
                } else {
                    if (next != null && ofNext != null) {
                        push(next, ofNext);
                    }
                    next = found;
                    ofNext = ofFound;
                }
            }
            if (next != null && ofNext != null) {
                object = next;
                shape = ofNext;
            } else if (top == bottom) {
                return bytes;
            } else {
                top -= 2;
                object = stack[top];
                shape = (ObjectShape) stack[top + 1];
            }
        }
    }

    private void push(Object object, ObjectShape shape) {
        if (top + 2 > stack.length) {
            stack = Arrays.copyOf(stack, stack.length * 2);
        }
        stack[top] = object;
        stack[top + 1] = shape;
        top += 2;
    }

    /** Spark's estimate for the elements of a long array. */
    private long sampleBytes(Object array, int length) {
        int size = rules.sampleSize();
        int[] indexes = samples.of(length, 2 * size);
        long first = sampleBytes(array, indexes, 0, size);
        long second = sampleBytes(array, indexes, size, 2 * size);
        return Math.max(first, second) + Math.min(first, second) * ((length - size) / size);
    }

    private long sampleBytes(Object array, int[] indexes, int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            Object found = found(array, elementOffset(indexes[i]));
            if (found == null) {
                continue;
            }
            ObjectShape shape = shapeOf(found);
            if (shape.kind() == Kind.LEAF) {
                bytes += shape.bytes();
            } else if (shape.kind() == Kind.NUMBERS) {
                bytes += arrayBytes(length(found), shape);
            } else {
                bytes += visit(found, shape);
            }
        }
        return bytes;
    }

    /** Returns the object at a reference; null if it was visited before. */
    private @Nullable Object found(Object holder, long offset) {
        RawMemory memory = memory();
        long bits = HAS_SHORT_REFERENCES
                ? Integer.toUnsignedLong(memory.getInt(holder, offset))
                : memory.getLong(holder, offset);
        if (bits == 0 || !visited.add(bits >>> PLACE_SHIFT)) {
            return null;
        }
        // Null if another thread has just changed the slot.
        Object object = memory.getReference(holder, offset);
        return object == root ? null : object;
    }

    private ObjectShape shapeOf(Object object) {
        long word = memory().getLong(object, classOffset) & CLASS_MASK;
        int index = (int) (word * 0x9E3779B97F4A7C15L >>> Long.SIZE - CLASSES_SHIFT);
        if (classWords[index] == word) {
            return (ObjectShape) classes[2 * index];
        }
        Class<?> type = object.getClass();
        ObjectShape shape = shapes.get(type);
        classWords[index] = word;
        classes[2 * index] = shape;
        classes[2 * index + 1] = type;
        return shape;
    }

    private long arrayBytes(int length, ObjectShape shape) {
        return rules.arrayBytes() + SizeRules.align(length * shape.bytes());
    }

    private static int length(Object array) {
        return memory().getInt(array, lengthOffset);
    }

    private static long elementOffset(int index) {
        return BASE + (long) index * SCALE;
    }

    /** The number of bits by which a reference is shifted to get a place. */
    private static int placeShift() {
        HotSpotFacts facts = VirtualMachine.current().hotSpotFacts();
        int log = Integer.numberOfTrailingZeros(VisitedPlaces.PLACE_BYTES);
        return HAS_SHORT_REFERENCES && facts != null ? Math.max(0, log - facts.referenceShift()) : log;
    }
}
