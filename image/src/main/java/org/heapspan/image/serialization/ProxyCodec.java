package org.heapspan.image.serialization;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.Allocator;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Dynamic proxies travel as the names of their interfaces and the invocation handler. */
public final class ProxyCodec extends Codec {
    private static final long HANDLER_OFFSET = Access.offsetOf(Proxy.class, "h", InvocationHandler.class);

    /** The handler's field where there is no raw memory; null where nothing but {@link Proxy} itself can set it. */
    private static final @Nullable SerializedFields HANDLER =
            HANDLER_OFFSET >= 0 ? null : SerializedFields.of(Proxy.class, Map.of("h", 0));

    /** Makes proxies whose handler is still to be set; null where the handler must come first. */
    private final @Nullable Allocator allocator;

    /** Stands for a proxy whose handler is being read, where that has to come first. */
    private final MissingObject unmade;

    public ProxyCodec(Class<?> type) {
        super(type, describe(type), 0, TRACKED);
        allocator = HANDLER_OFFSET >= 0 || HANDLER != null ? Allocator.withoutConstructor(type) : null;
        unmade = unmade(type);
    }

    private static TypeDescription describe(Class<?> type) {
        List<String> names =
                Arrays.stream(type.getInterfaces()).map(Class::getName).toList();
        return new TypeDescription(TypeDescription.Kind.PROXY, type.getName(), names, List.of());
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writer.writeSection(Proxy.getInvocationHandler(object));
    }

    @Override
    public Object allocate(ImageReader reader) {
        throw reader.malformed("a proxy is deferred, but cannot be deferred");
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        int index = reader.reserveIndex();
        if (allocator != null) {
            // The proxy is there before its handler, which may refer to it.
            Object proxy = allocator.allocate(type);
            reader.setObject(index, proxy);
            if (reader.readSection() instanceof InvocationHandler handler) {
                setHandler(proxy, handler);
                return proxy;
            }
            throw reader.malformed("a proxy has no invocation handler");
        }
        reader.setObject(index, unmade);
        if (reader.readSection() instanceof InvocationHandler handler) {
            Object proxy = Proxy.newProxyInstance(type.getClassLoader(), type.getInterfaces(), handler);
            reader.setObject(index, proxy);
            return proxy;
        }
        throw reader.malformed("a proxy has no invocation handler");
    }

    private static MissingObject unmade(Class<?> type) {
        return new MissingObject(new HeapspanException(
                Category.ACCESS,
                "a proxy for " + Arrays.toString(type.getInterfaces()) + " is part of a cycle: under "
                        + Access.MACHINE.means()
                        + " a proxy can be created only when its handler is complete; let the native library"
                        + " load (see heapspan doctor) or break the cycle"));
    }

    private static void setHandler(Object proxy, InvocationHandler handler) {
        SerializedFields fields = HANDLER;
        if (fields == null) {
            Access.raw().putReference(proxy, HANDLER_OFFSET, handler);
            return;
        }
        FieldValues values = new FieldValues(1);
        values.setReference(0, handler);
        fields.set(proxy, values);
    }
}
