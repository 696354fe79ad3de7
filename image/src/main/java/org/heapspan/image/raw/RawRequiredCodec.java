package org.heapspan.image.raw;

import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/**
 * In a raw image, a reference from a side object to a copy that must be complete at once. The side objects that the copy leads to, and that
 * have not been read, are written before it ({@link RawSides}).
 */
final class RawRequiredCodec extends Codec {
    static final RawRequiredCodec INSTANCE = new RawRequiredCodec();

    private RawRequiredCodec() {
        super(RawRequiredCodec.class, null, RawFormat.TAG_REQUIRED, 0);
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("no object has this class");
    }

    @Override
    public Object allocate(ImageReader reader) {
        throw reader.malformed("a reference that requires side objects is deferred, but cannot be deferred");
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        RawImageReader raw = RawImageReader.of(reader);
        if (raw == null) {
            throw reader.malformed("a reference requires side objects, which only raw images have");
        }
        for (int number = reader.readCount(); number != RawFormat.SIDES_END; number = reader.readCount()) {
            raw.sideArrived(number - 1, reader.readSection());
        }
        return reader.object(reader.readCount());
    }
}
