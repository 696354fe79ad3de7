package org.heapspan.image.graph;

import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** A codec of objects that have no references. Their shape and body are written and read in one step. */
public abstract class LeafCodec extends Codec {
    public LeafCodec(Class<?> type, @Nullable TypeDescription description, int builtInTag, int traits) {
        super(type, description, builtInTag, traits | LEAF);
    }

    public abstract void writeValue(ImageWriter writer, Object object);

    public abstract Object readValue(ImageReader reader);

    @Override
    public final void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeValue(writer, object);
    }

    @Override
    public final void write(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeValue(writer, object);
    }

    @Override
    public final Object allocate(ImageReader reader) {
        return readValue(reader);
    }

    @Override
    public final void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    public final Object read(ImageReader reader, @Nullable TypeHint hint) {
        Object object = readValue(reader);
        if (has(TRACKED)) {
            reader.register(object);
        }
        return object;
    }
}
