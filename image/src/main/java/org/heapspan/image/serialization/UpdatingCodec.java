package org.heapspan.image.serialization;

import org.heapspan.FieldUpdate;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.ObjectUpdate;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.FieldAccess;
import org.jspecify.annotations.Nullable;

/** A class some of whose fields get their values after arrival ({@link FieldUpdate}). */
public final class UpdatingCodec extends Codec implements ObjectUpdate {
    private final Codec plain;
    private final FieldAccess[] targets;
    private final CodecRegistry registry;

    public UpdatingCodec(CodecRegistry registry, Codec plain, FieldAccess[] targets) {
        super(plain.type, plain.description, 0, plain.traits);
        this.registry = registry;
        this.plain = plain;
        this.targets = targets;
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        plain.writeBody(writer, object, hint);
    }

    @Override
    public Object allocate(ImageReader reader) {
        return plain.allocate(reader);
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        plain.readBody(reader, object, hint);
        reader.updateLater(this, object);
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        Object object = plain.read(reader, hint);
        // readResolve may have put any other object in its place.
        if (object != null && object.getClass() == type) {
            reader.updateLater(this, object);
        }
        return object;
    }

    @Override
    @Nullable
    public ObjectLinks links() {
        return plain.links();
    }

    /** Runs the functions of all updated fields of an object. */
    @Override
    public void update(Object object) {
        for (FieldAccess target : targets) {
            FieldUpdate update = registry.updates.get(target.field);
            if (update != null) {
                apply(object, target, update);
            }
        }
    }

    private static void apply(Object object, FieldAccess target, FieldUpdate update) {
        boolean primitive = target.field.getType().isPrimitive();
        try {
            Object sent =
                    primitive ? FieldAccess.boxed(target.code, target.getBits(object)) : target.getReference(object);
            Object value = update.update(object, sent);
            if (!primitive) {
                target.setReference(object, value);
            } else if (sent != null && value != null && value.getClass() == sent.getClass()) {
                target.setBits(object, FieldAccess.bitsOf(value));
            } else {
                throw new IllegalArgumentException("the function gave "
                        + (value == null ? "null" : "a " + value.getClass().getName()) + ", expected a "
                        + (sent == null ? "box" : sent.getClass().getName()));
            }
        } catch (RuntimeException e) {
            throw new HeapspanException(Category.HOOK, "the update of field " + target.field + " failed: " + e, e);
        }
    }
}
