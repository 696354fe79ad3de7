package org.heapspan.image;

import org.jspecify.annotations.Nullable;

/** A codec of objects that refer to no other object and are therefore written and read in one step. */
abstract class LeafCodec extends Codec {
    LeafCodec(Class<?> type, @Nullable TypeDescription description, int builtInTag, int traits) {
        super(type, description, builtInTag, traits | LEAF);
    }

    abstract void writeValue(ImageWriter writer, Object object);

    abstract Object readValue(ImageReader reader);

    @Override
    final void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeValue(writer, object);
    }

    @Override
    final void write(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeValue(writer, object);
    }

    @Override
    final Object allocate(ImageReader reader) {
        return readValue(reader);
    }

    @Override
    final void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    final Object read(ImageReader reader, @Nullable TypeHint hint) {
        Object object = readValue(reader);
        if (has(TRACKED)) {
            reader.register(object);
        }
        return object;
    }
}
