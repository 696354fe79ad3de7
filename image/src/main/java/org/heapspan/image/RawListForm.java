package org.heapspan.image;

import java.util.ArrayList;

/** Lists whose size and elements come from one moment, whatever others do to the list meanwhile. */
final class RawListForm extends RawInstanceForm {
    private final FieldAccess elements;
    private final FieldAccess size;
    private final int elementsOffset;
    private final int sizeOffset;

    RawListForm(RawLayout layout, TypeDescription description, FieldAccess[] fields) {
        super(layout, ArrayList.class, description, fields, true);
        size = fields[0];
        elements = fields[1];
        sizeOffset = (int) Access.raw().objectFieldOffset(size.field);
        elementsOffset = (int) Access.raw().objectFieldOffset(elements.field);
    }

    @Override
    void write(RawImageWriter writer, Object list, int position) {
        layout.putHeader(writer.objects(), position, classWord);
        Object[] array = (Object[]) elements.getReference(list);
        int count = Math.min((int) size.getBits(list), array == null ? 0 : array.length);
        ImageFormat.INT.set(writer.objects(), position + sizeOffset, count);
        writer.writeReference(position + elementsOffset, array);
    }
}
