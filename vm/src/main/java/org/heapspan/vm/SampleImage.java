package org.heapspan.vm;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies a graph of objects in the way of a raw image: for the carver's test of itself, and for other tests. Simple and slow, made of
 * ordinary reads only.
 */
final class SampleImage {
    private static final int SLOT_BYTES = 4;

    private final Carver carver;
    private final RawMemory memory;
    private final HeapLayout layout;
    private final List<Object> objects = new ArrayList<>();
    private final IdentityHashMap<Object, Integer> places = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Integer> constantIndexes = new IdentityHashMap<>();
    private final IdentityHashMap<Class<?>, ClassFacts> classes = new IdentityHashMap<>();
    private final List<int[]> patches = new ArrayList<>();

    private long firstUnit = 1000;
    private int padding;
    private LongUnaryOperator wordInImage = LongUnaryOperator.identity();
    private int objectBytes;

    SampleImage(Carver carver, RawMemory memory, HeapLayout layout) {
        this.carver = carver;
        this.memory = memory;
        this.layout = layout;
    }

    /** Sets the number of the first object's place; a multiple of the alignment. */
    SampleImage firstUnit(long unit) {
        firstUnit = unit;
        return this;
    }

    /** Sets how many bytes lie before each part of the image, so that it need not be aligned. */
    SampleImage padding(int bytes) {
        padding = bytes;
        return this;
    }

    /** Sets what class words are in the image. */
    SampleImage classWords(LongUnaryOperator ofWordHere) {
        wordInImage = ofWordHere;
        return this;
    }

    /**
     * Copies all that roots and exports lead to, but for constants, to which the copies refer.
     *
     * @throws IllegalArgumentException if a class cannot be carved
     */
    CarveRequest of(@Nullable Object[] roots, @Nullable Object[] exports, Object... constants) {
        for (int i = 0; i < constants.length; i++) {
            constantIndexes.put(constants[i], i);
        }
        int[] rootUnits = units(roots);
        int[] exportUnits = units(exports);
        // Objects have places when they are met; this list grows while it is walked.
        for (int i = 0; i < objects.size(); i++) {
            Object object = objects.get(i);
            for (int offset : references(object)) {
                Object target = memory.getReference(object, offset);
                if (target != null && !constantIndexes.containsKey(target)) {
                    unit(target);
                }
            }
        }
        int bitmapBytes = (objectBytes / SLOT_BYTES + 63) / 64 * 8;
        byte[] copies = new byte[objectBytes];
        byte[] bitmap = new byte[bitmapBytes];
        for (Object object : objects) {
            copy(object, copies, bitmap);
        }

        CarveRequest request = new CarveRequest();
        int size = 5 * padding + objectBytes + bitmapBytes + 8 * patches.size() + 4 * (roots.length + exports.length);
        byte[] image = new byte[size];
        int at = padding;
        request.piece(0).objectsOffset = at;
        at = put(image, at, copies) + padding;
        request.piece(0).bitmapOffset = at;
        at = put(image, at, bitmap) + padding;
        request.piece(0).constantPatchesOffset = at;
        for (int[] patch : patches) {
            put(image, at, patch[0]);
            put(image, at + 4, patch[1]);
            at += 8;
        }
        at += padding;
        request.piece(0).rootsOffset = at;
        for (int unit : rootUnits) {
            put(image, at, unit);
            at += 4;
        }
        at += padding;
        request.piece(0).exportsOffset = at;
        for (int unit : exportUnits) {
            put(image, at, unit);
            at += 4;
        }
        request.image = image;
        request.piece(0).objectBytes = objectBytes;
        request.firstUnit = firstUnit;
        request.piece(0).constantPatchCount = patches.size();
        request.piece(0).rootCount = roots.length;
        request.piece(0).exportCount = exports.length;
        request.constants = constants;
        addClassWords(request);
        return request;
    }

    private void addClassWords(CarveRequest request) {
        long[] pairs = new long[2 * classes.size()];
        int count = 0;
        for (ClassFacts facts : classes.values()) {
            long inImage = wordInImage.applyAsLong(facts.classWord());
            if (inImage != facts.classWord()) {
                pairs[2 * count] = inImage;
                pairs[2 * count + 1] = facts.classWord();
                count++;
            }
        }
        request.classWords = count == 0 ? null : pairs;
        request.classWordCount = count;
    }

    private int[] units(@Nullable Object[] targets) {
        int[] units = new int[targets.length];
        for (int i = 0; i < targets.length; i++) {
            Object target = targets[i];
            units[i] = target == null ? 0 : unit(target);
        }
        return units;
    }

    private int unit(Object object) {
        Integer place = places.get(object);
        if (place == null) {
            place = objectBytes;
            places.put(object, place);
            objects.add(object);
            objectBytes += sizeBytes(object);
        }
        return (int) (firstUnit + place / 8);
    }

    private ClassFacts facts(Object object) {
        Class<?> type = object.getClass();
        ClassFacts facts = classes.get(type);
        if (facts == null) {
            facts = carver.classFacts(type);
            if (facts == null) {
                throw new IllegalArgumentException(type + " cannot be carved: " + carver.refusal(type));
            }
            classes.put(type, facts);
        }
        return facts;
    }

    private int sizeBytes(Object object) {
        ClassFacts facts = facts(object);
        if (!facts.type().isArray()) {
            return facts.instanceBytes();
        }
        int end = memory.arrayBaseOffset(facts.type())
                + java.lang.reflect.Array.getLength(object) * memory.arrayIndexScale(facts.type());
        return end + layout.objectAlignmentBytes() - 1 & -layout.objectAlignmentBytes();
    }

    private int[] references(Object object) {
        if (!(object instanceof Object[] array)) {
            return facts(object).referenceOffsets();
        }
        int[] offsets = new int[array.length];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = layout.referenceArrayBaseOffset() + i * layout.referenceSizeBytes();
        }
        return offsets;
    }

    private void copy(Object object, byte[] copies, byte[] bitmap) {
        ClassFacts facts = facts(object);
        int begin = Objects.requireNonNull(places.get(object));
        long word = wordInImage.applyAsLong(facts.classWord());
        int headerBytes = layout.objectHeaderSizeBytes();
        if (layout.compactHeaders()) {
            put(copies, begin, word << RequestBlock.COMPACT_CLASS_SHIFT | 1);
        } else {
            put(copies, begin, 1L);
            if (layout.classWordSizeBytes() == Integer.BYTES) {
                put(copies, begin + layout.classWordOffset(), (int) word);
            } else {
                put(copies, begin + layout.classWordOffset(), word);
            }
        }
        int end = begin + sizeBytes(object);
        if (facts.type().isArray()) {
            int length = java.lang.reflect.Array.getLength(object);
            put(copies, begin + headerBytes, length);
            headerBytes = memory.arrayBaseOffset(facts.type());
            end = begin + headerBytes + length * memory.arrayIndexScale(facts.type());
        }
        int[] references = references(object);
        if (!(object instanceof Object[])) {
            for (int i = begin + headerBytes; i < end; i++) {
                copies[i] = memory.getByte(object, i - begin);
            }
        }
        for (int offset : references) {
            int slot = begin + offset;
            for (int i = 0; i < layout.referenceSizeBytes(); i++) {
                copies[slot + i] = 0;
            }
            Object target = memory.getReference(object, offset);
            Integer constant = target == null ? null : constantIndexes.get(target);
            if (constant != null) {
                patches.add(new int[] {slot / SLOT_BYTES, constant});
            } else {
                put(copies, slot, target == null ? 0 : unit(target));
                bitmap[slot / SLOT_BYTES / 8] |= (byte) (1 << (slot / SLOT_BYTES & 7));
            }
        }
    }

    private static int put(byte[] target, int offset, byte[] source) {
        System.arraycopy(source, 0, target, offset, source.length);
        return offset + source.length;
    }

    private static void put(byte[] target, int offset, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            target[offset + i] = (byte) (value >>> 8 * i);
        }
    }

    private static void put(byte[] target, int offset, long value) {
        put(target, offset, (int) value);
        put(target, offset + Integer.BYTES, (int) (value >>> 32));
    }
}
