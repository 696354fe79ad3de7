package org.heapspan.image.raw;

import java.util.ArrayList;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Copies lists. Size and elements are read at one moment, so the copy is consistent even if other threads change the list. */
final class RawListForm extends RawInstanceForm {
    private static final RawMemory RAW = Access.raw();
    private static final int ELEMENTS = (int) Access.offsetOf(ArrayList.class, "elementData", Object[].class);
    private static final int SIZE = (int) Access.offsetOf(ArrayList.class, "size", int.class);

    private final RawArrayForm array;
    private final int elementBytes;

    RawListForm(RawLayout layout, TypeDescription description, FieldAccess[] fields) {
        super(layout, ArrayList.class, description, fields, true);
        Codec codec = BuiltInTypes.codecOf(Object[].class);
        if (codec == null) {
            throw new IllegalStateException("arrays of objects are built in");
        }
        array = (RawArrayForm) RawForms.of(codec, Object[].class);
        elementBytes = layout.elementBytes(Object.class);
    }

    int size(Object list) {
        return RAW.getInt(list, SIZE);
    }

    /** What holds the elements; of another class than Object[] in lists that user code made of other things. */
    Object @Nullable [] elements(Object list) {
        Object[] elements = (Object[]) RAW.getReference(list, ELEMENTS);
        return elements != null && elements.getClass() == Object[].class ? elements : null;
    }

    @Override
    void write(RawAddressedWriter writer, Object list, int position) {
        Object[] elements = (Object[]) RAW.getReference(list, ELEMENTS);
        putHeader(writer, Math.min(size(list), elements == null ? 0 : elements.length), position);
        writer.writeReference(position + ELEMENTS, elements);
    }

    private void putHeader(RawAddressedWriter writer, int size, int position) {
        layout.putHeader(writer.objects(), position, classWord);
        RawBytes.putInt(writer.objects(), position + SIZE, size);
    }

    /** Bytes of a list of so many elements and their array, one behind the other. */
    long wholeBytes(int count) {
        return instanceBytes + array.sizeBytes(count);
    }

    /** Writes a list and behind it an array of its elements, which is no longer than they need. */
    void writeWhole(RawAddressedWriter writer, Object[] elements, int count, int position) {
        putHeader(writer, count, position);
        int start = position + instanceBytes;
        writer.writeInnerReference(position + ELEMENTS, start, array);
        array.writeHeader(writer, count, start);
        writer.writeElements(elements, 0, count, start + array.base(), elementBytes);
    }
}
