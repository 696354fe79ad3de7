package org.heapspan.image;

import org.jspecify.annotations.Nullable;

/**
 * The form of the elements of lists, sets, maps and arrays of references.
 *
 * <pre>
 * elements = kind:number element*
 * kind     = 0: each element is a reference slot
 *          | tag of a type: all elements are of that class, none is null when written
 *            String: string slots; value-based classes: values; others: a marker (ImageFormat.ELEMENT_*) and the object
 * </pre>
 */
final class ElementsForm {
    private ElementsForm() {}

    static final int MIXED = 0;

    /** The codec of all elements if they have one class that allows it, else null. */
    static @Nullable Codec common(
            ImageWriter writer, Object[] array, int first, int stride, int end, @Nullable TypeHint hint) {
        if (first >= end) {
            return null;
        }
        Object sample = array[first];
        if (sample == null) {
            return null;
        }
        Class<?> type = sample.getClass();
        for (int i = first + stride; i < end; i += stride) {
            Object element = array[i];
            if (element == null || element.getClass() != type) {
                return null;
            }
        }
        Codec expected = hint == null ? null : hint.codec();
        Codec codec = expected != null && expected.type == type ? expected : writer.registry.codecOf(type);
        return codec.has(Codec.SPECIAL) ? null : codec;
    }

    static void writeKind(ImageWriter writer, @Nullable Codec common) {
        if (common == null) {
            writer.writeByte(MIXED << 1 | 1);
        } else {
            writer.writeTag(common);
        }
    }

    /**
     * Writes the first elements of an array, which others may change meanwhile.
     *
     * @param elements the array
     * @param slots the same array, read anew from where it came: the JIT compiles a raw read of a slot into a load only where it
     *     does not know that references lie there, so it must not see that the two are one
     */
    static void write(ImageWriter writer, Object[] elements, Object slots, int count, @Nullable TypeHint hint) {
        if (count == 0) {
            return;
        }
        Codec common = common(writer, elements, 0, 1, count, hint);
        if (common == null) {
            writeMixed(writer, elements, slots, count, hint);
        } else if (common == BuiltInTypes.STRING) {
            writeStrings(writer, elements, slots, count);
        } else if (!common.has(Codec.TRACKED)) {
            writeValues(writer, elements, count, hint);
        } else if (hint != null && common == hint.codec()) {
            // With a codec that is a constant to the JIT where the code around it is inlined.
            writeObjects(writer, elements, slots, count, hint.codec());
        } else {
            writeObjects(writer, elements, slots, count, common);
        }
    }

    private static void writeMixed(
            ImageWriter writer, Object[] elements, Object slots, int count, @Nullable TypeHint hint) {
        writeKind(writer, null);
        for (int i = 0; i < count; i++) {
            int bits = bits(writer, slots, i);
            Object element = elements[i];
            writer.writeReference(element, stable(writer, slots, i, bits), hint);
        }
    }

    private static void writeStrings(ImageWriter writer, Object[] elements, Object slots, int count) {
        writeKind(writer, BuiltInTypes.STRING);
        for (int i = 0; i < count; i++) {
            int bits = bits(writer, slots, i);
            String element = elements[i] instanceof String string ? string : null;
            writer.writeString(element, stable(writer, slots, i, bits));
        }
    }

    private static void writeObjects(ImageWriter writer, Object[] elements, Object slots, int count, Codec common) {
        writeKind(writer, common);
        for (int i = 0; i < count; i++) {
            int bits = bits(writer, slots, i);
            Object element = elements[i];
            writer.writeElement(element, stable(writer, slots, i, bits), common);
        }
    }

    /** Values have no marker to escape with, so what is written must be what has been looked at: a copy of the array. */
    private static void writeValues(ImageWriter writer, Object[] elements, int count, @Nullable TypeHint hint) {
        int first = writer.elementCount();
        writer.pushElements(elements, count);
        int end = writer.elementCount();
        Codec common = common(writer, writer.elements(), first, 1, end, hint);
        writeKind(writer, common);
        for (int i = first; i < end; i++) {
            Object element = writer.elements()[i];
            if (common == null) {
                writer.writeReference(element);
            } else {
                common.write(writer, element, null);
            }
        }
        writer.popElements(first);
    }

    /** Writes one of the writer's stacked elements in the form that {@link #writeKind} announced. */
    static void writeOne(ImageWriter writer, int index, @Nullable Codec common, @Nullable TypeHint hint) {
        Object element = writer.elements()[index];
        if (common == null) {
            writer.writeReference(element, bits(writer, writer.elementSlots(), index), hint);
        } else if (common == BuiltInTypes.STRING) {
            writer.writeString((String) element, bits(writer, writer.elementSlots(), index));
        } else if (!common.has(Codec.TRACKED)) {
            common.write(writer, element, null);
        } else {
            writer.writeElement(element, bits(writer, writer.elementSlots(), index), common);
        }
    }

    /** The array comes as a plain object because the JIT does not inline a raw read of what it knows to be references. */
    private static int bits(ImageWriter writer, Object slots, int index) {
        return writer.wantsBits() ? Access.ADDRESSES.ofElement(slots, index) : 0;
    }

    private static int stable(ImageWriter writer, Object slots, int index, int bits) {
        return bits(writer, slots, index) == bits ? bits : 0;
    }

    // ---------------------------------------------------------------- reading

    static @Nullable Codec readKind(ImageReader reader) {
        int tag = reader.readTag();
        if (tag == MIXED) {
            return null;
        }
        if (tag < ImageFormat.TAG_FIRST_TYPE) {
            throw reader.malformed("elements have kind " + tag);
        }
        return reader.codecOfTag(tag);
    }

    static @Nullable Object readOne(ImageReader reader, @Nullable Codec common, @Nullable TypeHint hint) {
        if (common == null) {
            return reader.readReference(hint);
        }
        if (common == BuiltInTypes.STRING) {
            return reader.readString();
        }
        if (!common.has(Codec.TRACKED)) {
            return common.read(reader, null);
        }
        return reader.readElement(common);
    }

    static void read(ImageReader reader, @Nullable Object[] target, int count, @Nullable TypeHint hint) {
        if (count == 0) {
            return;
        }
        Codec common = readKind(reader);
        if (common == null) {
            for (int i = 0; i < count; i++) {
                target[i] = reader.readReference(hint);
            }
        } else if (common == BuiltInTypes.STRING) {
            for (int i = 0; i < count; i++) {
                target[i] = reader.readString();
            }
        } else if (!common.has(Codec.TRACKED)) {
            for (int i = 0; i < count; i++) {
                target[i] = common.read(reader, null);
            }
        } else if (hint != null && common == hint.codec()) {
            Codec expected = hint.codec();
            for (int i = 0; i < count; i++) {
                target[i] = reader.readElement(expected);
            }
        } else {
            for (int i = 0; i < count; i++) {
                target[i] = reader.readElement(common);
            }
        }
    }
}
