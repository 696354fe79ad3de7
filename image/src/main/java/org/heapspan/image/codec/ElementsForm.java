package org.heapspan.image.codec;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ElementSlots;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.KnownCodec;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/**
 * The form of the elements of lists, sets, maps and arrays of references.
 *
 * <pre>
 * elements = kind:number element*
 * kind     = 0: each element is a reference slot
 *          | tag of a type: the elements are most likely of that class
 *              String                   string slot, or STRING_OTHER and a reference slot
 *              numbers (Integer, enum)  number + 1, or NUMBER_OTHER and a reference slot
 *              other value classes      value; all elements are of the class
 *              others                   ELEMENT_* marker and the object's shape and body
 * </pre>
 *
 * <p>All but the third have a way out, so that the writer decides by the first element and looks at each only once.
 */
public final class ElementsForm {
    private ElementsForm() {}

    public static final int MIXED = 0;

    /** The kind for elements of which this is the first: a codec, or null for mixed. */
    static @Nullable Codec kindOf(ImageWriter writer, @Nullable Object first, @Nullable TypeHint hint) {
        if (first == null) {
            return null;
        }
        Codec codec = codecOf(writer, first.getClass(), hint);
        return codec.has(Codec.SPECIAL) || !codec.has(Codec.TRACKED | Codec.NUMBERED) ? null : codec;
    }

    private static Codec codecOf(ImageWriter writer, Class<?> type, @Nullable TypeHint hint) {
        KnownCodec expected = hint == null ? null : hint.known();
        return expected != null && expected.type() == type ? expected.codec() : writer.registry.codecOf(type);
    }

    static void writeKind(ImageWriter writer, @Nullable Codec common) {
        if (common == null) {
            writer.writeByte(MIXED << 1 | 1);
        } else {
            writer.writeTag(common);
        }
    }

    /** Writes an element in the form of a kind. */
    static void writeTyped(
            ImageWriter writer, @Nullable Object element, int bits, @Nullable Codec kind, @Nullable TypeHint hint) {
        if (kind == BuiltInTypes.STRING) {
            if (element instanceof String string) {
                writer.writeString(string, bits);
            } else {
                writer.writeByte(ImageFormat.STRING_OTHER << 1 | 1);
                writer.writeReference(element, bits, null);
            }
        } else if (kind == BuiltInTypes.INTEGER && element instanceof Integer value) {
            writer.writeNumber(ImageFormat.zigzag(value) + 1);
        } else if (kind == null) {
            writer.writeReference(element, bits, hint);
        } else if (kind.has(Codec.NUMBERED)) {
            writeNumbered(writer, element, bits, (NumberCodec) kind);
        } else {
            writer.writeElement(element, bits, kind);
        }
    }

    private static void writeNumbered(ImageWriter writer, @Nullable Object element, int bits, NumberCodec kind) {
        if (element != null && element.getClass() == kind.type) {
            long number = kind.numberOf(element) + 1;
            if (number != ImageFormat.NUMBER_OTHER) {
                writer.writeNumber(number);
                return;
            }
        }
        writer.writeNumber(ImageFormat.NUMBER_OTHER);
        writer.writeReference(element, bits, null);
    }

    /**
     * Writes the first elements of an array, which others may change meanwhile.
     *
     * @param elements the array
     * @param slots the same array, read anew from where it came: the JIT compiles a raw read of a slot into a load only where it
     *     does not know that references lie there, so it must not see that the two are one
     */
    public static void write(ImageWriter writer, Object[] elements, Object slots, int count, @Nullable TypeHint hint) {
        writer.position = writeAt(writer, elements, slots, count, hint, writer.position);
    }

    /** As {@link #write}, at the caller's position; returns the position behind the elements. */
    public static int writeAt(
            ImageWriter writer, Object[] elements, Object slots, int count, @Nullable TypeHint hint, int position) {
        if (count == 0) {
            return position;
        }
        Object first = elements[0];
        Object middle = elements[count >> 1];
        if (first != null && middle != null && first.getClass() == middle.getClass()) {
            Class<?> type = first.getClass();
            KnownCodec hinted = hint == null ? null : hint.known();
            KnownCodec expected = hinted != null && hinted.type() == type ? hinted : null;
            Codec kind = expected != null ? expected.codec() : writer.registry.codecOf(type);
            if (kind == BuiltInTypes.STRING) {
                return writeStrings(writer, elements, slots, count, position);
            }
            if (travelAsObjects(expected != null ? expected.traits() : kind.traits)) {
                int start =
                        expected != null ? writer.writeTagAt(position, expected) : writer.writeTagAt(position, kind);
                return kind.writeAll(writer, elements, slots, count, start);
            }
            return writeValues(writer, elements, slots, count, kind, hint, position);
        }
        writer.position = position;
        writeMixed(writer, elements, slots, count, hint);
        return writer.position;
    }

    private static int writeValues(
            ImageWriter writer,
            Object[] elements,
            Object slots,
            int count,
            Codec kind,
            @Nullable TypeHint hint,
            int position) {
        writer.position = position;
        if (kind.has(Codec.SPECIAL)) {
            writeMixed(writer, elements, slots, count, hint);
        } else if (kind.has(Codec.NUMBERED)) {
            writeNumbers(writer, elements, count, (NumberCodec) kind);
        } else {
            writeValues(writer, elements, count, hint);
        }
        return writer.position;
    }

    private static void writeMixed(
            ImageWriter writer, Object[] elements, Object slots, int count, @Nullable TypeHint hint) {
        writeKind(writer, null);
        for (int i = 0; i < count; i++) {
            int bits = ElementSlots.bits(writer, slots, i);
            Object element = elements[i];
            writer.writeReference(element, ElementSlots.stable(writer, slots, i, bits), hint);
        }
    }

    private static int writeStrings(ImageWriter writer, Object[] elements, Object slots, int count, int start) {
        int position = writer.writeTagAt(start, BuiltInTypes.STRING);
        for (int i = 0; i < count; i++) {
            int bits = ElementSlots.bits(writer, slots, i);
            Object element = elements[i];
            if (element instanceof String string) {
                position = writer.writeStringAt(string, ElementSlots.stable(writer, slots, i, bits), position);
            } else {
                writer.position = position;
                writeTyped(writer, element, ElementSlots.stable(writer, slots, i, bits), BuiltInTypes.STRING, null);
                position = writer.position;
            }
        }
        return position;
    }

    private static void writeNumbers(ImageWriter writer, Object[] elements, int count, NumberCodec kind) {
        writeKind(writer, kind);
        for (int i = 0; i < count; i++) {
            Object element = elements[i];
            if (kind == BuiltInTypes.INTEGER && element instanceof Integer value) {
                writer.writeNumber(ImageFormat.zigzag(value) + 1);
            } else {
                writeNumbered(writer, element, writer.wantsBits() ? writer.bitsOf(element) : 0, kind);
            }
        }
    }

    /** Whether elements of a class travel each with a marker and a body. */
    private static boolean travelAsObjects(int traits) {
        return (traits & (Codec.SPECIAL | Codec.NUMBERED)) == 0 && (traits & Codec.TRACKED) != 0;
    }

    /** These have no way out, so what is written must be what has been looked at: a copy of the array. */
    private static void writeValues(ImageWriter writer, Object[] elements, int count, @Nullable TypeHint hint) {
        int first = writer.waiting.count();
        writer.waiting.pushAll(elements, count);
        int end = writer.waiting.count();
        Codec common = common(writer, writer.waiting.array(), first, end, hint);
        if (common != null && common.has(Codec.SPECIAL | Codec.TRACKED | Codec.NUMBERED)) {
            // Meanwhile they are all of another class, one that travels in another form.
            common = null;
        }
        writeKind(writer, common);
        for (int i = first; i < end; i++) {
            Object element = writer.waiting.array()[i];
            if (common == null) {
                writer.writeReference(element, writer.wantsBits() ? writer.bitsOf(element) : 0, hint);
            } else {
                common.write(writer, element, null);
            }
        }
        writer.waiting.cutTo(first);
    }

    private static @Nullable Codec common(
            ImageWriter writer, Object[] array, int first, int end, @Nullable TypeHint hint) {
        Object sample = array[first];
        if (sample == null) {
            return null;
        }
        Class<?> type = sample.getClass();
        for (int i = first + 1; i < end; i++) {
            Object element = array[i];
            if (element == null || element.getClass() != type) {
                return null;
            }
        }
        return codecOf(writer, type, hint);
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

    static @Nullable Object readTyped(ImageReader reader, @Nullable Codec kind, @Nullable TypeHint hint) {
        if (kind == BuiltInTypes.STRING) {
            return reader.readStringElement();
        }
        if (kind == null) {
            return reader.readReference(hint);
        }
        if (kind.has(Codec.NUMBERED)) {
            return readNumbered(reader, (NumberCodec) kind);
        }
        return kind.has(Codec.TRACKED) ? reader.readElement(kind) : kind.read(reader, null);
    }

    private static @Nullable Object readNumbered(ImageReader reader, NumberCodec kind) {
        long number = reader.readNumber();
        if (number == ImageFormat.NUMBER_OTHER) {
            return reader.readReference(null);
        }
        return kind == BuiltInTypes.INTEGER
                ? (Object) (int) ImageFormat.unzigzag(number - 1)
                : kind.valueOf(reader, number - 1);
    }

    public static void read(ImageReader reader, @Nullable Object[] target, int count, @Nullable TypeHint hint) {
        if (count == 0) {
            return;
        }
        Codec kind = readKind(reader);
        if (kind == BuiltInTypes.STRING) {
            for (int i = 0; i < count; i++) {
                ElementSlots.store(reader, target, i, reader.readStringElement());
            }
        } else if (kind != null && travelAsObjects(kind.traits)) {
            kind.readAll(reader, target, count);
        } else {
            for (int i = 0; i < count; i++) {
                ElementSlots.store(reader, target, i, readTyped(reader, kind, hint));
            }
        }
    }
}
