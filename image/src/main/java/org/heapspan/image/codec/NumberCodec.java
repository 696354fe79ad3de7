package org.heapspan.image.codec;

import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** A value-based class whose values are numbers of the format: small ones take one byte. */
public abstract class NumberCodec extends LeafCodec {
    NumberCodec(Class<?> type, @Nullable TypeDescription description, int builtInTag, int traits) {
        super(type, description, builtInTag, traits | NUMBERED);
    }

    /** The number of a value, taken as unsigned. */
    abstract long numberOf(Object value);

    /** The value of a number. */
    abstract Object valueOf(ImageReader reader, long number);

    @Override
    public final void writeValue(ImageWriter writer, Object object) {
        writer.writeNumber(numberOf(object));
    }

    @Override
    public final int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
        return writer.writeNumberAt(position, numberOf(object));
    }

    @Override
    public final Object readValue(ImageReader reader) {
        return valueOf(reader, reader.readNumber());
    }
}
