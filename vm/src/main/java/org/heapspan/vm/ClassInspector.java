package org.heapspan.vm;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@link ClassFacts} of classes in HotSpot's own description of them, and believes it only where Java's view says the same.
 *
 * <p>Refused are classes whose instances hold more than their fields say, or of which the JVM keeps books: the copies would not be
 * what they seem. Sources: {@code src/hotspot/share/oops/{klass,instanceKlass}.hpp}, {@code classfile/javaClasses.hpp}, JDK 17 to 25.
 */
final class ClassInspector {
    private final RawMemory memory;
    private final HeapLayout layout;
    private final HotSpotFacts facts;
    private final long workshopAddress;
    private final long classPointerOffset;

    ClassInspector(
            RawMemory memory, HeapLayout layout, HotSpotFacts facts, long workshopAddress, long classPointerOffset) {
        this.memory = memory;
        this.layout = layout;
        this.facts = facts;
        this.workshopAddress = workshopAddress;
        this.classPointerOffset = classPointerOffset;
    }

    /**
     * What was found out about a class: facts, or why its instances must not be carved.
     *
     * @param layoutHelper {@code Klass::_layout_helper}, which native code needs to walk over objects
     */
    record Verdict(
            @Nullable ClassFacts facts,
            int layoutHelper,
            @Nullable String refusal) {
        static Verdict refused(String why) {
            return new Verdict(null, 0, why);
        }
    }

    Verdict inspect(Class<?> type) {
        try {
            String refusal = type.isArray() ? refusalOfArray(type) : refusalOfInstances(type);
            if (refusal != null) {
                return Verdict.refused(refusal);
            }
            if (!type.isArray()) {
                memory.ensureClassInitialized(type);
            }
            return described(type);
        } catch (LinkageError | InstantiationException | RuntimeException e) {
            return Verdict.refused(e.toString());
        }
    }

    private static @Nullable String refusalOfArray(Class<?> type) {
        Class<?> component = type;
        while (component.isArray()) {
            component = component.getComponentType();
        }
        return component.isHidden() ? "hidden classes are unknown elsewhere" : null;
    }

    private static @Nullable String refusalOfInstances(Class<?> type) {
        if (type.isPrimitive() || type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return "has no instances";
        }
        if (type.isHidden()) {
            return "hidden classes are unknown elsewhere";
        }
        for (Class<?> known :
                new Class<?>[] {Class.class, ClassLoader.class, Thread.class, java.lang.ref.Reference.class, Enum.class
                }) {
            if (known.isAssignableFrom(type)) {
                return "extends " + known.getName();
            }
        }
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            String name = each.getName();
            if (name.startsWith("java.lang.invoke.") || name.startsWith("jdk.internal.vm.")) {
                return "belongs to the JVM";
            }
            if (hasFinalizer(each)) {
                return "has a finalizer, for which each instance must be registered";
            }
        }
        return null;
    }

    private static boolean hasFinalizer(Class<?> type) {
        try {
            return type.getDeclaredMethod("finalize").getReturnType() == void.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private Verdict described(Class<?> type) throws InstantiationException {
        long address = memory.getLong(type, classPointerOffset);
        int[] description = address == 0 ? null : CarvingLibrary.describeClass(workshopAddress, address);
        if (description == null) {
            return Verdict.refused("HotSpot's description contradicts itself");
        }
        int helper = description[CarvingLibrary.LAYOUT_HELPER];
        int[] references = Arrays.copyOfRange(description, CarvingLibrary.FIRST_REFERENCE_OFFSET, description.length);
        Arrays.sort(references);
        String contradiction;
        if (type.isArray()) {
            contradiction = contradictionOfArray(type, helper);
        } else if (description[CarvingLibrary.REFERENCE_TYPE] != 0) {
            contradiction = "is a reference that the collector clears";
        } else if (helper <= 0 || (helper & 1) != 0) {
            contradiction = "is allocated by the JVM only";
        } else {
            contradiction = contradictionOfInstances(type, helper, references);
        }
        if (contradiction != null) {
            return Verdict.refused(contradiction);
        }
        long word = facts.compressedClassPointers()
                ? address - facts.classPointerBaseAddress() >>> facts.classPointerShift()
                : address;
        Object fresh = type.isArray() ? Array.newInstance(type.getComponentType(), 0) : memory.allocateInstance(type);
        if (word == 0 || wordOf(fresh) != word) {
            return Verdict.refused("the header of an instance shows another class word than HotSpot's tables");
        }
        return new Verdict(new ClassFacts(type, word, type.isArray() ? 0 : helper, references), helper, null);
    }

    /** The class word in the header of an object. */
    private long wordOf(Object object) {
        if (layout.compactHeaders()) {
            return memory.getLong(object, 0) >>> RequestBlock.COMPACT_CLASS_SHIFT;
        }
        return layout.classWordSizeBytes() == Integer.BYTES
                ? Integer.toUnsignedLong(memory.getInt(object, layout.classWordOffset()))
                : memory.getLong(object, layout.classWordOffset());
    }

    private @Nullable String contradictionOfArray(Class<?> type, int helper) {
        // Tag in the upper two bits (3: primitive elements, 2: references), then header size, then log2 of the element
        // size.
        int tag = type.getComponentType().isPrimitive() ? 3 : 2;
        boolean same = helper >>> 30 == tag
                && (helper >> 16 & 0xff) == memory.arrayBaseOffset(type)
                && 1 << (helper & 0xff) == memory.arrayIndexScale(type);
        return same ? null : "HotSpot's description of the array differs from Java's";
    }

    private @Nullable String contradictionOfInstances(Class<?> type, int helper, int[] references) {
        int end = layout.objectHeaderSizeBytes();
        int[] seen = new int[references.length];
        int count = 0;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                int offset = (int) memory.objectFieldOffset(field);
                end = Math.max(end, offset + sizeBytes(field.getType()));
                if (!field.getType().isPrimitive()) {
                    if (count == seen.length) {
                        return "Java sees more references than HotSpot";
                    }
                    seen[count++] = offset;
                }
            }
        }
        Arrays.sort(seen);
        if (count != references.length || !Arrays.equals(seen, references)) {
            return "HotSpot sees other references than Java";
        }
        int alignment = layout.objectAlignmentBytes();
        int size = end + alignment - 1 & -alignment;
        return size == helper ? null : "HotSpot says " + helper + " bytes, Java " + size;
    }

    private int sizeBytes(Class<?> fieldType) {
        if (!fieldType.isPrimitive()) {
            return layout.referenceSizeBytes();
        } else if (fieldType == long.class || fieldType == double.class) {
            return 8;
        } else if (fieldType == int.class || fieldType == float.class) {
            return 4;
        } else if (fieldType == short.class || fieldType == char.class) {
            return 2;
        }
        return 1;
    }
}
