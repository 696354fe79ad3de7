package org.heapspan.image;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dynamic proxies travel as the names of their interfaces and the invocation handler. */
final class ProxyCodec extends Codec {
    private static final long HANDLER_OFFSET = Access.offsetOf(Proxy.class, "h", InvocationHandler.class);

    ProxyCodec(Class<?> type) {
        super(type, describe(type), 0, TRACKED);
    }

    private static TypeDescription describe(Class<?> type) {
        List<String> names =
                Arrays.stream(type.getInterfaces()).map(Class::getName).toList();
        return new TypeDescription(TypeDescription.Kind.PROXY, type.getName(), names, List.of());
    }

    @Override
    void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writer.writeSection(Proxy.getInvocationHandler(object));
    }

    @Override
    Object allocate(ImageReader reader) {
        throw reader.malformed("a proxy stands apart from its invocation handler");
    }

    @Override
    void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    @Override
    Object read(ImageReader reader, @Nullable TypeHint hint) {
        int index = reader.reserveIndex();
        if (HANDLER_OFFSET >= 0) {
            // The proxy is there before its handler, which may refer to it.
            Object proxy = Access.allocate(type);
            reader.setObject(index, proxy);
            if (reader.readSection() instanceof InvocationHandler handler) {
                Access.raw().putReference(proxy, HANDLER_OFFSET, handler);
                return proxy;
            }
            throw reader.malformed("a proxy has no invocation handler");
        }
        if (reader.readSection() instanceof InvocationHandler handler) {
            Object proxy = Proxy.newProxyInstance(type.getClassLoader(), type.getInterfaces(), handler);
            reader.setObject(index, proxy);
            return proxy;
        }
        throw reader.malformed("a proxy has no invocation handler");
    }
}
