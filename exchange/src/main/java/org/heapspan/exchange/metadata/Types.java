package org.heapspan.exchange.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.TypeDescriptions;

/**
 * The types of a cluster, to which the server gives numbers (Skyway section 4.1). Clients have copies. A server that is started again begins another
 * registry. Thread-safe.
 */
public final class Types {
    /** More than programs have. Clients that send ever new types get no more numbers, and describe these types in their images. */
    public static final int MOST_TYPES = 1 << 16;

    /** As many bytes of descriptions are kept. */
    public static final int MOST_BYTES = 32 << 20;

    private final UUID id = UUID.randomUUID();
    private final LocalTypeRegistry types = new LocalTypeRegistry(id);
    private final int mostTypes;
    private final int mostBytes;
    private long bytes;

    public Types() {
        this(MOST_TYPES, MOST_BYTES);
    }

    /** For tests. */
    Types(int mostTypes, int mostBytes) {
        this.mostTypes = mostTypes;
        this.mostBytes = mostBytes;
    }

    /** Gives numbers to types, and tells those that the client does not know. */
    public synchronized Reply.Types answer(Request.NumberTypes request) {
        for (TypeRegistry.Type type : request.types()) {
            add(type);
        }
        List<TypeRegistry.Type> rest = types.typesFrom(Math.max(0, request.knownCount()));
        int fitting = TypeDescriptions.fitting(rest);
        return new Reply.Types(
                id, types.size() - rest.size(), new ArrayList<>(rest.subList(0, fitting)), fitting < rest.size());
    }

    private void add(TypeRegistry.Type type) {
        long sizeBytes =
                (long) type.description().length + 2L * type.loaderScope().length();
        if (types.size() < mostTypes
                && bytes + sizeBytes <= mostBytes
                && types.knownNumberOf(type) == TypeRegistry.NO_NUMBER) {
            types.numberOf(type.loaderScope(), type.description());
            bytes += sizeBytes;
        }
    }
}
