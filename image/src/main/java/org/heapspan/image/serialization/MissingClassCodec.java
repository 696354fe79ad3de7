package org.heapspan.image.serialization;

import org.heapspan.HeapspanException;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a class that the reader does not have. Its objects can be passed over where the reader drops them, because their
 * field no longer exists here; anywhere else they are an error.
 */
public final class MissingClassCodec extends Codec {
    private final MissingObject placeholder;
    private final FieldBlock block;

    public MissingClassCodec(TypeDescription written, HeapspanException why) {
        super(MissingObject.class, written, 0, Codec.traitsOf(written));
        this.placeholder = new MissingObject(why);
        this.block = new FieldBlock(written.levels());
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("nothing of a missing class is written");
    }

    @Override
    public Object allocate(ImageReader reader) {
        if (!reader.dropping()) {
            throw placeholder.toException();
        }
        reader.addMissing();
        return placeholder;
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        FieldCodec.readFields(reader, block, new FieldCodec.Dropped());
    }
}
