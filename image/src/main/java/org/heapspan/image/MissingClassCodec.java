package org.heapspan.image;

import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a class that the reader does not have. Its objects can be passed over where the reader drops them, because their
 * field no longer exists here; anywhere else they are an error.
 */
final class MissingClassCodec extends Codec {
    /** Takes the place of an object of the missing class. */
    record Placeholder(HeapspanException why) {
        HeapspanException toException() {
            return new HeapspanException(why.category(), String.valueOf(why.getMessage()), why);
        }
    }

    private final HeapspanException why;
    private final FieldBlock block;

    MissingClassCodec(TypeDescription written, HeapspanException why) {
        super(Placeholder.class, written, 0, ClassPolicy.traits(written));
        this.why = why;
        this.block = new FieldBlock(written.levels());
    }

    @Override
    void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("nothing of a missing class is written");
    }

    @Override
    Object allocate(ImageReader reader) {
        if (!reader.dropping()) {
            throw new Placeholder(why).toException();
        }
        reader.addMissing();
        return new Placeholder(why);
    }

    @Override
    void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        FieldCodec.readFields(reader, block, new FieldCodec.Dropped());
    }
}
