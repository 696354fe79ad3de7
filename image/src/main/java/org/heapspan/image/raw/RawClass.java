package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.IntStream;
import org.heapspan.FallbackReason;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.PortableElements;
import org.heapspan.image.memory.Access;
import org.heapspan.image.serialization.UpdatingCodec;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.image.statistics.FallbackCount;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.vm.ClassFacts;
import org.jspecify.annotations.Nullable;

/**
 * A class of the reader for objects of a raw image. It creates objects and fills them from bytes in the writer's heap layout. It has no
 * state of an image. Thread-safe.
 */
public abstract class RawClass {
    final Class<?> type;

    /** Set where fields get their values after arrival. */
    final @Nullable UpdatingCodec updating;

    /** Set where objects in the image lie exactly as they do here, so that they can be carved. */
    @Nullable
    ClassFacts facts;

    /** Classes that must be the only ones of their names among all classes of an image. */
    private Class<?>[] related = {};

    RawClass(Class<?> type, @Nullable UpdatingCodec updating) {
        this.type = type;
        this.updating = updating;
    }

    private @Nullable FallbackCount refusal;

    /** Leaves objects to the portable engine for a reason; before anyone else knows of this. */
    final void refuseCarving(FallbackCount why) {
        refusal = why;
    }

    /** Why objects cannot be carved, alone or with those of other classes. */
    final FallbackCount obstacle() {
        FallbackCount known = refusal;
        return known != null ? known : EngineCounters.fallback(FallbackReason.CLASS_DIFFERS, type.getName());
    }

    /** Allows carving; before anyone else knows of this. */
    final void allowCarving(ClassFacts newFacts, Class<?>[] newRelated) {
        facts = newFacts;
        related = newRelated;
    }

    /** Notes by their names the classes on which this one depends; false if another class has the name of one. */
    final boolean agrees(Map<String, Class<?>> byName) {
        for (Class<?> each : related) {
            Class<?> known = byName.putIfAbsent(each.getName(), each);
            if (known != null && known != each) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that must be there, of any object, before anything else is asked. */
    int headBytes() {
        return 0;
    }

    /** Bytes that the object at a position, of which at least the header is there, takes in the object space. */
    abstract long sizeBytes(RawObjectReader reader, byte[] bytes, int position);

    /** Makes the object at a position, still empty. */
    abstract Object allocate(RawObjectReader reader, byte[] bytes, int position);

    /** Fills an object from the bytes between two offsets within it, which begin at a position. */
    abstract void fill(RawObjectReader reader, Object object, byte[] bytes, int position, long from, long to);

    /**
     * Puts a value into the reference slot at an offset within an object.
     *
     * @throws HeapspanException if there is no reference slot, or it cannot hold the value
     */
    abstract void put(RawObjectReader reader, Object object, long offset, Object value);

    /** Whether nobody here wants what the slot at an offset refers to. */
    abstract boolean drops(long offset);

    /** The declared type of the slot at an offset within objects, or null if no reference is known to lie there. */
    @Nullable
    Class<?> declaredAt(long offset) {
        return null;
    }

    /** Whether a slot may have held a constant of a class in the writer's heap and cannot hold it here. */
    boolean doubts(Class<?> constant) {
        return false;
    }

    /** Stands for a class that the reader does not have; nothing that is kept may refer to its objects. */
    static final class Missing extends RawClass {
        private final HeapspanException why;
        private final int instanceBytes;

        /** Of the right size, if it is an array class: this reader has no use for elements. */
        private final @Nullable Array arrays;

        Missing(RawLayout layout, RawClassDescription described, HeapspanException why) {
            super(MissingObject.class, null);
            this.why = why;
            refuseCarving(EngineCounters.fallback(
                    FallbackReason.CLASS_DIFFERS, described.description().name()));
            instanceBytes = described.instanceBytes();
            arrays = described.description().kind() == TypeDescription.Kind.FIELDS
                    ? null
                    : new Array(layout, Object[].class);
        }

        @Override
        int headBytes() {
            return arrays == null ? 0 : arrays.headBytes();
        }

        @Override
        long sizeBytes(RawObjectReader reader, byte[] bytes, int position) {
            return arrays == null ? instanceBytes : arrays.sizeBytes(reader, bytes, position);
        }

        @Override
        Object allocate(RawObjectReader reader, byte[] bytes, int position) {
            return new MissingObject(why);
        }

        @Override
        void fill(RawObjectReader reader, Object object, byte[] bytes, int position, long from, long to) {}

        @Override
        void put(RawObjectReader reader, Object object, long offset, Object value) {}

        @Override
        boolean drops(long offset) {
            return true;
        }
    }

    /** Objects with fields. {@link RawCodecGenerator} makes subclasses that fill them in straight-line code. */
    static class Instance extends RawClass {
        private final int instanceBytes;

        /** Where fields lie in the image, ascending, and the local fields, null where there is none. */
        private final int[] offsets;

        private final @Nullable FieldAccess[] fields;
        private final char[] codes;

        Instance(
                RawLayout layout,
                Class<?> type,
                @Nullable UpdatingCodec updating,
                RawClassDescription described,
                @Nullable FieldAccess[] targets) {
            super(type, updating);
            instanceBytes = described.instanceBytes();
            var slots = new FieldBlock(described.description().levels()).slots;
            int[] order = byOffset(described.offsets());
            offsets = new int[order.length];
            fields = new FieldAccess[order.length];
            codes = new char[order.length];
            int end = layout.heap().objectHeaderSizeBytes();
            for (int i = 0; i < order.length; i++) {
                offsets[i] = described.offsets()[order[i]];
                fields[i] = targets[order[i]];
                codes[i] = slots.get(order[i]).code();
                int sizeBytes = sizeBytes(layout, codes[i]);
                if (offsets[i] < end || offsets[i] % sizeBytes != 0) {
                    throw misplaced(
                            described, "field " + slots.get(order[i]).field().name() + " lies at " + offsets[i]);
                }
                end = offsets[i] + sizeBytes;
            }
            if (instanceBytes < end || instanceBytes % layout.heap().objectAlignmentBytes() != 0) {
                throw misplaced(described, "an instance has " + instanceBytes + " bytes");
            }
        }

        /** The indexes of fields in the order in which they lie in the object. */
        static int[] byOffset(int[] offsets) {
            return IntStream.range(0, offsets.length)
                    .boxed()
                    .sorted(Comparator.comparingInt(i -> offsets[i]))
                    .mapToInt(i -> i)
                    .toArray();
        }

        /** A value that a reference field of a declared type can hold, for generated code. */
        final @Nullable Object checked(Class<?> declared, int offset, @Nullable Object value) {
            if (value == null || declared.isInstance(value) && value.getClass() != MissingObject.class) {
                return value;
            }
            throw misfit(offset, value);
        }

        private HeapspanException misfit(int offset, Object value) {
            if (value instanceof MissingObject missing) {
                return missing.toException();
            }
            FieldAccess field = fields[Arrays.binarySearch(offsets, offset)];
            return field != null
                    ? field.misfit(value)
                    : new HeapspanException(
                            Category.EVOLUTION,
                            "a field of " + type.getName() + " cannot hold the "
                                    + value.getClass().getName() + " that the image has for it");
        }

        private static HeapspanException misplaced(RawClassDescription described, String what) {
            return new HeapspanException(
                    Category.MALFORMED,
                    "the image is malformed in its classes: " + what + " in "
                            + described.description().name() + ", which does not fit its heap layout");
        }

        private static int sizeBytes(RawLayout layout, char code) {
            return switch (code) {
                case 'Z', 'B' -> 1;
                case 'S', 'C' -> 2;
                case 'I', 'F' -> 4;
                case 'J', 'D' -> 8;
                default -> layout.heap().referenceSizeBytes();
            };
        }

        @Override
        final long sizeBytes(RawObjectReader reader, byte[] bytes, int position) {
            return instanceBytes;
        }

        @Override
        Object allocate(RawObjectReader reader, byte[] bytes, int position) {
            return Access.allocate(type);
        }

        @Override
        void fill(RawObjectReader reader, Object object, byte[] bytes, int position, long from, long to) {
            for (int i = 0; i < offsets.length; i++) {
                int p = position + offsets[i];
                FieldAccess field = fields[i];
                switch (codes[i]) {
                    case 'Z', 'B' -> setBits(field, object, bytes[p]);
                    case 'S', 'C' -> setBits(field, object, (short) ImageFormat.SHORT.get(bytes, p));
                    case 'I', 'F' -> setBits(field, object, (int) ImageFormat.INT.get(bytes, p));
                    case 'J', 'D' -> setBits(field, object, (long) ImageFormat.LONG.get(bytes, p));
                    default -> {
                        Object value = reader.readReference(bytes, p);
                        if (value != null && field != null) {
                            set(field, object, value);
                        }
                    }
                }
            }
        }

        private static void setBits(@Nullable FieldAccess field, Object object, long bits) {
            if (field != null) {
                field.setBits(object, bits);
            }
        }

        private static void set(FieldAccess field, Object object, Object value) {
            if (value instanceof MissingObject missing) {
                throw missing.toException();
            }
            field.setReference(object, value);
        }

        @Override
        final void put(RawObjectReader reader, Object object, long offset, Object value) {
            int index = offset > Integer.MAX_VALUE ? -1 : Arrays.binarySearch(offsets, (int) offset);
            if (index < 0 || (codes[index] != TypeDescription.Field.REFERENCE && codes[index] != 'T')) {
                throw reader.malformed("there is no reference at offset " + offset + " of " + type.getName());
            }
            FieldAccess field = fields[index];
            if (field != null) {
                set(field, object, value);
            }
        }

        @Override
        final @Nullable Class<?> declaredAt(long offset) {
            int index = offset > Integer.MAX_VALUE ? -1 : Arrays.binarySearch(offsets, (int) offset);
            return index < 0 ? null : RawConstantSlots.typeOf(fields[index]);
        }

        @Override
        final boolean doubts(Class<?> constant) {
            for (FieldAccess field : fields) {
                Class<?> declared = RawConstantSlots.typeOf(field);
                if (declared != null && RawConstantSlots.isDoubtful(declared, constant)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        final boolean drops(long offset) {
            int index = offset > Integer.MAX_VALUE ? -1 : Arrays.binarySearch(offsets, (int) offset);
            return index >= 0 && fields[index] == null;
        }
    }

    /** Arrays. */
    public static final class Array extends RawClass {
        private final Class<?> component;
        private final int base;
        private final int elementBytes;
        private final int alignmentBytes;
        private final int lengthOffset;
        private final long ownBase;

        Array(RawLayout layout, Class<?> type) {
            super(type, null);
            component = type.getComponentType();
            base = layout.arrayBase(component);
            elementBytes = layout.elementBytes(component);
            alignmentBytes = layout.heap().objectAlignmentBytes();
            lengthOffset = layout.heap().arrayLengthOffset();
            ownBase = Access.raw().arrayBaseOffset(type);
        }

        private int length(RawObjectReader reader, byte[] bytes, int position) {
            int length = (int) ImageFormat.INT.get(bytes, position + lengthOffset);
            if (length < 0) {
                throw reader.malformed("an array has length " + length);
            }
            return length;
        }

        public static long sizeBytes(RawLayout layout, Class<?> component, int length) {
            return RawFormat.alignUp(
                    layout.arrayBase(component) + (long) length * layout.elementBytes(component),
                    layout.heap().objectAlignmentBytes());
        }

        @Override
        int headBytes() {
            return base;
        }

        @Override
        public long sizeBytes(RawObjectReader reader, byte[] bytes, int position) {
            return RawFormat.alignUp(base + (long) length(reader, bytes, position) * elementBytes, alignmentBytes);
        }

        @Override
        Object allocate(RawObjectReader reader, byte[] bytes, int position) {
            int length = length(reader, bytes, position);
            reader.checkArrayLength(length);
            if (component == byte.class) {
                return new byte[length];
            }
            if (component.isPrimitive() && component != boolean.class) {
                // All of it is filled before anybody sees it; else the record fails.
                return Access.raw().allocateUninitializedArray(component, length);
            }
            return java.lang.reflect.Array.newInstance(component, length);
        }

        @Override
        void fill(RawObjectReader reader, Object array, byte[] bytes, int position, long from, long to) {
            int length = java.lang.reflect.Array.getLength(array);
            int first = (int) (Math.max(0, from - base) / elementBytes);
            int last = (int) Math.min(length, (to - base) / elementBytes);
            int p = position + (int) (base + (long) first * elementBytes - from);
            if (!component.isPrimitive()) {
                fillReferences(reader, (Object[]) array, bytes, p, first, last);
            } else if (array instanceof boolean[] booleans) {
                for (int i = first; i < last; i++) {
                    booleans[i] = bytes[p + i - first] != 0;
                }
            } else {
                Access.raw()
                        .copyMemory(
                                bytes,
                                PortableElements.BYTES_BASE + p,
                                array,
                                ownBase + (long) first * elementBytes,
                                (long) (last - first) * elementBytes);
            }
        }

        private void fillReferences(
                RawObjectReader reader, Object[] array, byte[] bytes, int position, int first, int last) {
            int p = position;
            for (int i = first; i < last; i++) {
                Object value = reader.readReference(bytes, p);
                if (value != null) {
                    store(reader, array, i, value);
                }
                p += elementBytes;
            }
        }

        private void store(RawObjectReader reader, Object[] array, int index, Object value) {
            if (value instanceof MissingObject missing) {
                throw missing.toException();
            }
            reader.store(array, index, value);
        }

        @Override
        void put(RawObjectReader reader, Object object, long offset, Object value) {
            long index = (offset - base) / elementBytes;
            if (!(object instanceof Object[] array)
                    || offset < base
                    || (offset - base) % elementBytes != 0
                    || index >= array.length) {
                throw reader.malformed("there is no reference at offset " + offset + " of " + type.getName());
            }
            store(reader, array, (int) index, value);
        }

        @Override
        Class<?> declaredAt(long offset) {
            return component;
        }

        @Override
        boolean doubts(Class<?> constant) {
            return RawConstantSlots.isDoubtful(component, constant);
        }

        @Override
        boolean drops(long offset) {
            return false;
        }
    }
}
