package org.heapspan.exchange.metadata;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.TypeDescriptions;
import org.jspecify.annotations.Nullable;

/**
 * The types of a cluster, to which the server gives numbers (Skyway section 4.1). Clients have copies. A server that is started again begins another
 * registry, unless it is one of several that replicate it. Thread-safe.
 */
public final class Types {
    /** More than programs have. Clients that send ever new types get no more numbers, and describe these types in their images. */
    public static final int MOST_TYPES = 1 << 16;

    /** As many bytes of descriptions are kept. */
    public static final int MOST_BYTES = 32 << 20;

    private final UUID id;
    private final LocalTypeRegistry types;
    private final TypeLog log;
    private final int mostTypes;
    private final int mostBytes;
    private long bytes;

    /** Whether those who share the registry know of it. */
    private boolean isTakenDown;

    /** Begins a registry of this server alone. */
    public Types() {
        this(MOST_TYPES, MOST_BYTES);
    }

    /** For tests. */
    Types(int mostTypes, int mostBytes) {
        this(null, List.of(), TypeLog.NONE, mostTypes, mostBytes);
    }

    /**
     * Goes on with a registry.
     *
     * @param registry its id, or null to begin one
     * @param known its types, in the order of their numbers
     * @param log takes down what comes
     */
    public Types(@Nullable UUID registry, List<TypeRegistry.Type> known, TypeLog log) {
        this(registry, known, log, MOST_TYPES, MOST_BYTES);
    }

    private Types(@Nullable UUID registry, List<TypeRegistry.Type> known, TypeLog log, int mostTypes, int mostBytes) {
        id = registry == null ? UUID.randomUUID() : registry;
        isTakenDown = registry != null;
        types = new LocalTypeRegistry(id);
        this.log = log;
        this.mostTypes = mostTypes;
        this.mostBytes = mostBytes;
        known.forEach(this::add);
    }

    /**
     * Gives numbers to types, and tells those that the client does not know.
     *
     * @throws RefusedException if another server gives numbers by now
     */
    public synchronized Reply.Types answer(Request.NumberTypes request) throws RefusedException {
        int before = types.size();
        for (TypeRegistry.Type type : request.types()) {
            if (types.size() < mostTypes && bytes + sizeBytes(type) <= mostBytes) {
                add(type);
            }
        }
        if (types.size() > before || !isTakenDown) {
            takeDown(types.typesFrom(before));
        }
        List<TypeRegistry.Type> rest = types.typesFrom(Math.max(0, request.knownCount()));
        int fitting = TypeDescriptions.fitting(rest);
        return new Reply.Types(
                id, types.size() - rest.size(), new ArrayList<>(rest.subList(0, fitting)), fitting < rest.size());
    }

    private void takeDown(List<TypeRegistry.Type> added) throws RefusedException {
        try {
            log.add(id, added);
            isTakenDown = true;
        } catch (IOException e) {
            // This server does not lead any more, so nobody asks it again.
            throw new RefusedException(RefusalCode.NOT_LEADER, String.valueOf(e.getMessage()));
        }
    }

    private void add(TypeRegistry.Type type) {
        if (types.knownNumberOf(type) == TypeRegistry.NO_NUMBER) {
            types.numberOf(type.loaderScope(), type.description());
            bytes += sizeBytes(type);
        }
    }

    private static long sizeBytes(TypeRegistry.Type type) {
        return (long) type.description().length + 2L * type.loaderScope().length();
    }
}
