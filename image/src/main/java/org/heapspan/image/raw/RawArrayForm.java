package org.heapspan.image.raw;

import java.lang.reflect.Array;
import java.util.List;
import java.util.function.Consumer;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.PortableElements;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.vm.RawMemory;

/** Copies arrays: header, length and elements. An array larger than a chunk is written in several parts. */
public class RawArrayForm extends RawForm {
    private final RawLayout layout;
    private final long classWord;
    private final byte[] classBytes;
    private final boolean primitive;
    private final int base;
    private final int elementBytes;
    /** Where elements lie in arrays of this JVM, which is where they lie in the image. */
    private final int ownBase;

    RawArrayForm(RawLayout layout, Class<?> arrayType) {
        super(Kind.OBJECT, arrayType, 0);
        this.layout = layout;
        Class<?> component = arrayType.getComponentType();
        primitive = component.isPrimitive();
        base = layout.arrayBase(component);
        elementBytes = layout.elementBytes(component);
        ownBase = Access.raw().arrayBaseOffset(arrayType);
        classWord = RawLayout.classWord(Array.newInstance(component, 0));
        classBytes = new RawClassDescription(
                        classWord,
                        describe(arrayType),
                        0,
                        new int[0],
                        RawRelations.fingerprint(arrayType, new FieldAccess[0]))
                .encode();
    }

    public static TypeDescription describe(Class<?> arrayType) {
        return new TypeDescription(TypeDescription.Kind.OBJECT_ARRAY, arrayType.getName(), List.of(), List.of());
    }

    @Override
    final byte[] classBytes() {
        return classBytes;
    }

    /** Length of the array that the copy of an object is. */
    int length(Object array) {
        return Array.getLength(array);
    }

    @Override
    final long sizeBytes(Object array) {
        return sizeBytes(length(array));
    }

    final long sizeBytes(int length) {
        return RawFormat.alignUp(
                base + (long) length * elementBytes, layout.heap().objectAlignmentBytes());
    }

    @Override
    boolean isLeaf(Object array) {
        return primitive;
    }

    @Override
    final void write(RawAddressedWriter writer, Object array, int position) {
        writeHeader(writer, length(array), position);
        writeElements(writer, array, position + base, 0, length(array));
    }

    /** Where the elements begin. */
    final int base() {
        return base;
    }

    final void writeHeader(RawAddressedWriter writer, int length, int position) {
        layout.putHeader(writer.objects(), position, classWord);
        ImageFormat.INT.set(writer.objects(), position + layout.heap().arrayLengthOffset(), length);
    }

    /** Writes some of the elements at a position of the current chunk. */
    void writeElements(RawAddressedWriter writer, Object array, int position, int first, int count) {
        if (primitive) {
            RawMemory raw = Access.raw();
            raw.copyMemory(
                    array,
                    ownBase + (long) first * elementBytes,
                    writer.objects(),
                    PortableElements.BYTES_BASE + position,
                    (long) count * elementBytes);
            return;
        }
        writer.writeElements((Object[]) array, first, count, position, elementBytes);
    }

    /** How many bytes of the array its header and the elements before the given one take. */
    private long end(int element) {
        return base + (long) element * elementBytes;
    }

    /** Writes an array over as many chunks as it needs; the first begins with it, and so does nothing else in the last. */
    final void writeInParts(RawNumberedWriter writer, Object array) {
        int start = writer.reservePart(RawFormat.CHUNK_LIMIT_BYTES);
        int length = length(array);
        writeHeader(writer, length, start);
        long sizeBytes = sizeBytes(length);
        long partStart = 0;
        int first = 0;
        while (true) {
            long partEnd = Math.min(partStart + RawFormat.CHUNK_LIMIT_BYTES, sizeBytes);
            int last = (int) Math.min(length, (partEnd - base) / elementBytes);
            writeElements(writer, array, start + (int) (end(first) - partStart), first, last - first);
            first = last;
            if (partEnd == sizeBytes) {
                return;
            }
            writer.continueInNextChunk((int) (partEnd - partStart));
            start = writer.reservePart(RawFormat.CHUNK_LIMIT_BYTES);
            partStart = partEnd;
        }
    }

    @Override
    void forEachReference(Object array, Consumer<Object> visitor) {
        if (primitive) {
            return;
        }
        for (Object element : (Object[]) array) {
            if (element != null) {
                visitor.accept(element);
            }
        }
    }
}
