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
 * Walks over what an object reaches as Spark's {@code SizeEstimator} does, object by object in the same order, and gives the same sum.
 *
 * <p>It tells objects apart by the bits of the references to them (see decision 0001). These hold until the collector moves objects, which it does in
 * pauses that the JVM counts. After a pause a walk begins again, and after some of them it gives up. It holds no object when it has ended. Objects that other threads
 * change meanwhile make the answer inexact, as they make Spark's.
 *
 * <p>Not thread-safe.
 */
final class ObjectWalk {
    /** The answer of a walk that gave up. */
    static final long GAVE_UP = -1;

    private static final @Nullable RawMemory MEMORY = VirtualMachine.current().memory();
    private static final long PAUSES = VirtualMachine.current().collectionCounterAddress();
    private static final int SCALE = MEMORY == null ? 0 : MEMORY.arrayIndexScale(Object[].class);
    private static final long BASE = MEMORY == null ? 0 : MEMORY.arrayBaseOffset(Object[].class);
    private static final boolean HAS_SHORT_REFERENCES = SCALE == Integer.BYTES;
    private static final int PLACE_SHIFT = placeShift();
    private static final HeapLayout LAYOUT = VirtualMachine.current().heapLayout();

    /** Bits of an object's header that tell its class; with compact headers the upper 22 of the one word ({@code markWord.hpp}, JDK 24 and 25). */
    private static final long CLASS_MASK = LAYOUT.compactHeaders()
            ? -1L << 42
            : LAYOUT.classWordSizeBytes() == Integer.BYTES ? (1L << Integer.SIZE) - 1 : -1L;

    // Not final: C2 would not compile reads at offsets of headers that it knows into loads (LibraryCallKit::inline_unsafe_access).
    private static long classOffset = LAYOUT.classWordOffset();
    private static long lengthOffset = LAYOUT.arrayLengthOffset();

    private static final int MOST_ATTEMPTS = 3;
    private static final int STEPS_BETWEEN_LOOKS = 1 << 10;
    private static final int FIRST_STACK = 32;
    private static final int CLASSES_SHIFT = 4;
    private static final int CLASSES = 1 << CLASSES_SHIFT;

    private static final @Nullable Object[] NO_STACK = {};

    private final SizeRules rules;
    private final ClassValue<ObjectShape> shapes;
    private final VisitedPlaces visited = new VisitedPlaces();
    private final SampledIndexes samples = new SampledIndexes();

    /** Objects to visit, each with its shape behind it. New for each walk, because stores into young arrays are cheap. */
    private @Nullable Object[] stack = NO_STACK;

    /** Classes of this walk by their class words, in a table that forgets. While a class is here it cannot be unloaded, and its word cannot become that of another one. */
    private long[] classWords = {};

    /** Of each class, its shape and itself. */
    private @Nullable Object[] classes = NO_STACK;

    /** Nothing refers to it from where its bits could be read. */
    private @Nullable Object root;

    private int top;
    private int pauses;
    private int steps;
    private boolean isOutdated;

    ObjectWalk(SizeRules rules, ClassValue<ObjectShape> shapes) {
        this.rules = rules;
        this.shapes = shapes;
    }

    /** Whether this JVM lets objects be told apart by references. */
    static boolean isPossible() {
        return MEMORY != null && PAUSES != 0;
    }

    static RawMemory memory() {
        RawMemory memory = MEMORY;
        if (memory == null) {
            throw new IllegalStateException("no raw memory; whoever calls asks isPossible() first");
        }
        return memory;
    }

    /**
     * Walks.
     *
     * @return the bytes of what an object reaches and its own, or {@link #GAVE_UP}
     */
    long bytes(Object first) {
        ObjectShape shape = shapes.get(first.getClass());
        if (shape.kind() == Kind.LEAF) {
            return shape.bytes();
        }
        root = first;
        classWords = new long[CLASSES];
        classes = new Object[2 * CLASSES];
        try {
            for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
                pauses = memory().getIntVolatile(null, PAUSES);
                isOutdated = false;
                visited.startOver();
                stack = new Object[FIRST_STACK];
                top = 0;
                long bytes = count(first) + visitDownTo(0);
                if (!isOutdated && !hasPaused()) {
                    return bytes;
                }
            }
            return GAVE_UP;
        } finally {
            root = null;
            stack = NO_STACK;
            classes = NO_STACK;
        }
    }

    /** Whether a walk has begun and not ended. */
    boolean isBusy() {
        return root != null;
    }

    private boolean hasPaused() {
        return memory().getIntVolatile(null, PAUSES) != pauses;
    }

    /** Visits objects until the stack is down to a size again; gives their bytes. */
    private long visitDownTo(int bottom) {
        long bytes = 0;
        while (top > bottom) {
            if (++steps % STEPS_BETWEEN_LOOKS == 0 && hasPaused()) {
                isOutdated = true;
            }
            if (isOutdated) {
                top = bottom;
                return 0;
            }
            Object object = stack[top - 2];
            ObjectShape shape = (ObjectShape) stack[top - 1];
            top -= 2;
            if (shape.kind() == Kind.INSTANCE) {
                bytes += shape.bytes();
                for (long offset : shape.references()) {
                    bytes += meet(object, offset);
                }
            } else if (shape.kind() == Kind.REFERENCES) {
                bytes += visitArray(object, shape);
            } else {
                bytes += SizeRules.toldBytes(object);
            }
        }
        return bytes;
    }

    private long visitArray(Object array, ObjectShape shape) {
        int length = memory().getInt(array, lengthOffset);
        long bytes = arrayBytes(length, shape);
        if (length > rules.mostSearched()) {
            int[] indexes = samples.of(length, 2 * rules.sampleSize());
            long first = sampleBytes(array, indexes, 0);
            long second = sampleBytes(array, indexes, rules.sampleSize());
            return bytes
                    + Math.max(first, second)
                    + Math.min(first, second) * ((length - rules.sampleSize()) / rules.sampleSize());
        }
        long end = BASE + (long) length * SCALE;
        for (long offset = BASE; offset < end; offset += SCALE) {
            bytes += meet(array, offset);
        }
        return bytes;
    }

    private long sampleBytes(Object array, int[] indexes, int from) {
        long bytes = 0;
        int bottom = top;
        for (int i = from; i < from + rules.sampleSize(); i++) {
            bytes += meet(array, BASE + (long) indexes[i] * SCALE) + visitDownTo(bottom);
        }
        return bytes;
    }

    private long arrayBytes(int length, ObjectShape shape) {
        return rules.arrayBytes() + SizeRules.align(length * shape.bytes());
    }

    /** Looks at a reference; gives the bytes of an object that is visited at once. */
    private long meet(Object holder, long offset) {
        RawMemory memory = memory();
        long place = HAS_SHORT_REFERENCES
                ? Integer.toUnsignedLong(memory.getInt(holder, offset))
                : memory.getLong(holder, offset);
        if (place == 0 || !visited.add(place >>> PLACE_SHIFT)) {
            return 0;
        }
        Object object = memory.getReference(holder, offset);
        // Null if another thread has just written there.
        return object == null || object == root ? 0 : count(object);
    }

    /** Puts an object on the stack. One that refers to nothing is visited at once: gives its bytes. */
    private long count(Object object) {
        ObjectShape shape = shapeOf(object);
        if (shape.kind() == Kind.LEAF) {
            return shape.bytes();
        } else if (shape.kind() == Kind.NUMBERS) {
            return arrayBytes(memory().getInt(object, lengthOffset), shape);
        }
        if (top + 2 > stack.length) {
            stack = Arrays.copyOf(stack, stack.length * 2);
        }
        stack[top++] = object;
        stack[top++] = shape;
        return 0;
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

    /** By how much the bits of a reference are shifted to give a place. */
    private static int placeShift() {
        HotSpotFacts facts = VirtualMachine.current().hotSpotFacts();
        int log = Integer.numberOfTrailingZeros(VisitedPlaces.PLACE_BYTES);
        return HAS_SHORT_REFERENCES && facts != null ? Math.max(0, log - facts.referenceShift()) : log;
    }
}
