package org.heapspan.image;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a class that the reader does not have. Its objects can be passed over where the reader drops them, because their
 * field no longer exists here; anywhere else they are an error.
 */
final class MissingClassCodec extends Codec {
    /** Takes the place of an object of the missing class. It keeps no exception: an image may name thousands of missing classes. */
    record Placeholder(Category category, String why) {
        Placeholder(HeapspanException why) {
            this(why.category(), String.valueOf(why.getMessage()));
        }

        HeapspanException toException() {
            return new HeapspanException(category, why);
        }
    }

    private final Placeholder placeholder;
    private final FieldBlock block;

    MissingClassCodec(TypeDescription written, HeapspanException why) {
        super(Placeholder.class, written, 0, ClassPolicy.traits(written));
        this.placeholder = new Placeholder(why);
        this.block = new FieldBlock(written.levels());
    }

    @Override
    void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("nothing of a missing class is written");
    }

    @Override
    Object allocate(ImageReader reader) {
        if (!reader.dropping()) {
            throw placeholder.toException();
        }
        reader.addMissing();
        return placeholder;
    }

    @Override
    void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        FieldCodec.readFields(reader, block, new FieldCodec.Dropped());
    }
}
