package org.heapspan.image.serialization;

import java.io.Externalizable;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Constructor;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.SerializationMethods;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Externalizable classes: what their {@code writeExternal} writes, between the same marks as data of {@code writeObject}. */
public final class ExternalCodec extends Codec {
    private final @Nullable Constructor<?> constructor;
    private final @Nullable MethodHandle readResolve;

    public ExternalCodec(Class<?> type) {
        super(
                type,
                new TypeDescription(TypeDescription.Kind.EXTERNAL, type.getName(), List.of(), List.of()),
                0,
                TRACKED | CALLS_USER_CODE);
        constructor = SerializationMethods.externalConstructor(type);
        readResolve = SerializationMethods.readResolve(type);
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        int section = writer.beginSection();
        GraphOutput.forHooks(writer).callWriteExternal((Externalizable) object);
        writer.endSection(section);
    }

    @Override
    public Object allocate(ImageReader reader) {
        if (constructor == null) {
            throw new HeapspanException(
                    Category.HOOK,
                    type.getName() + " is Externalizable and has no public constructor without parameters; add one");
        }
        try {
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw HookCodec.hookFailure(type, "the constructor", e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        GraphInput.forHooks(reader).callReadExternal((Externalizable) object);
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        int section = reader.beginSection();
        Object object = allocate(reader);
        int index = reader.reserveIndex();
        reader.setObject(index, object);
        readBody(reader, object, hint);
        reader.endSection(section);
        return HookCodec.resolved(readResolve, type, reader, index, object);
    }
}
