package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;

/**
 * What a raw image says about a class of which it holds objects as they lie in the heap.
 *
 * <pre>
 * class = fingerprint:u64 classWord:u64 description [instanceBytes:number offset:number*] relations:u64
 * </pre>
 *
 * <p>The part in brackets belongs to classes of kind FIELDS; arrays follow from the layout. Offsets stand in the order in
 * which the description has the fields. The fingerprint covers everything behind the class word: classes of equal fingerprints
 * lie alike, and where both JVMs also have the same class word their objects are the same bytes.
 *
 * @param classWord what the headers of the objects hold; of the writer's JVM, 0-extended
 * @param description kind FIELDS or OBJECT_ARRAY, the latter for primitive elements too
 * @param instanceBytes size of an instance; 0 for arrays
 * @param offsets where the fields lie in an instance, in the order of {@link FieldBlock}
 * @param relations {@link RawRelations#fingerprint}
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared as a whole.
public record RawClassDescription(
        long classWord, TypeDescription description, int instanceBytes, int[] offsets, long relations) {
    private static final int FINGERPRINT_BYTES = 8;
    private static final int LAYOUT_OFFSET = FINGERPRINT_BYTES + 8;

    byte[] encode() {
        byte[] described = description.encode();
        int most =
                LAYOUT_OFFSET + described.length + ImageFormat.NUMBER_LIMIT_BYTES * (2 + offsets.length) + Long.BYTES;
        byte[] bytes = new byte[most];
        ImageFormat.LONG.set(bytes, FINGERPRINT_BYTES, classWord);
        System.arraycopy(described, 0, bytes, LAYOUT_OFFSET, described.length);
        int p = LAYOUT_OFFSET + described.length;
        if (description.kind() == TypeDescription.Kind.FIELDS) {
            p = ImageFormat.putNumber(bytes, p, instanceBytes);
            for (int slot : slotsAsDescribed(description)) {
                p = ImageFormat.putNumber(bytes, p, offsets[slot]);
            }
        }
        ImageFormat.LONG.set(bytes, p, relations);
        p += Long.BYTES;
        ImageFormat.LONG.set(bytes, 0, fingerprint(bytes, LAYOUT_OFFSET, p));
        return Arrays.copyOf(bytes, p);
    }

    /** The slots of the {@link FieldBlock} in the order in which the description has their fields. */
    private static int[] slotsAsDescribed(TypeDescription description) {
        Map<FieldBlock.Slot, Integer> slots = new HashMap<>();
        for (FieldBlock.Slot slot : new FieldBlock(description.levels()).slots) {
            slots.put(slot, slots.size());
        }
        return description.levels().stream()
                .flatMap(level -> level.fields().stream().map(field -> new FieldBlock.Slot(level, field)))
                .mapToInt(slots::get)
                .toArray();
    }

    private static long fingerprint(byte[] bytes, int start, int end) {
        long hash = 0xcbf29ce484222325L;
        for (int i = start; i < end; i++) {
            hash = (hash ^ bytes[i] & 0xFF) * 0x100000001b3L;
        }
        return hash;
    }

    /**
     * Reads the description at {@code position[0]} and moves it behind.
     *
     * @throws HeapspanException with category MALFORMED if it is none
     */
    public static RawClassDescription decode(byte[] bytes, int[] position, int limit) {
        int start = position[0];
        if (limit - start < LAYOUT_OFFSET) {
            throw malformed("a class takes " + (limit - start) + " bytes, expected at least " + LAYOUT_OFFSET);
        }
        long fingerprint = (long) ImageFormat.LONG.get(bytes, start);
        long classWord = classWordAt(bytes, start);
        int p = start + LAYOUT_OFFSET;
        int sizeBytes = TypeDescription.sizeBytes(bytes, p, limit);
        TypeDescription description = TypeDescription.decode(bytes, p, sizeBytes);
        position[0] = p + sizeBytes;
        int instanceBytes = 0;
        int[] offsets = {};
        switch (description.kind()) {
            case FIELDS -> {
                instanceBytes = TypeDescription.count(bytes, position, limit);
                offsets = new int[new FieldBlock(description.levels()).slots.size()];
                for (int slot : slotsAsDescribed(description)) {
                    offsets[slot] = TypeDescription.count(bytes, position, limit);
                }
            }
            case OBJECT_ARRAY -> {}
            default ->
                throw malformed("class " + description.name() + " has kind " + description.kind()
                        + ", expected FIELDS or OBJECT_ARRAY");
        }
        if (limit - position[0] < Long.BYTES) {
            throw malformed("class " + description.name() + " ends within its description");
        }
        long relations = (long) ImageFormat.LONG.get(bytes, position[0]);
        position[0] += Long.BYTES;
        long actual = fingerprint(bytes, start + LAYOUT_OFFSET, position[0]);
        if (actual != fingerprint) {
            throw malformed(String.format(
                    "class %s has fingerprint 0x%016x, its description gives 0x%016x",
                    description.name(), fingerprint, actual));
        }
        return new RawClassDescription(classWord, description, instanceBytes, offsets, relations);
    }

    private static HeapspanException malformed(String what) {
        return new HeapspanException(Category.MALFORMED, "the image is malformed in its classes: " + what);
    }

    /** The class word of a description. */
    static long classWordAt(byte[] bytes, int start) {
        return (long) ImageFormat.LONG.get(bytes, start + FINGERPRINT_BYTES);
    }
}
