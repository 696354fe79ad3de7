package org.heapspan.exchange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.metadata.Types;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.TypeDescriptions;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the registry of a server, which asks it for what it does not know yet (Skyway section 4.1). If the server does not answer, new types have
 * no numbers for a while. Thread-safe.
 */
final class ServerTypes implements TypeRegistry {
    private static final String ACTION = "question about types";
    private static final long SILENT_NANOS = 5_000_000_000L;

    private final HeapAccess access;
    private final LocalTypeRegistry known;
    private long bytes;

    /** Until when the server is not asked for numbers because it did not answer. */
    private long silentUntil = System.nanoTime();

    ServerTypes(HeapAccess access) {
        this.access = access;
        Reply.Types first = access.call(ACTION, new Request.NumberTypes(0, List.of()), Reply.Types.class);
        known = new LocalTypeRegistry(first.registry());
        if (add(first)) {
            learn(List.of());
        }
    }

    @Override
    public UUID id() {
        return known.id();
    }

    @Override
    public int numberOf(String loaderScope, byte[] description) {
        return numbersOf(List.of(new Type(loaderScope, description)))[0];
    }

    @Override
    public int[] numbersOf(List<Type> types) {
        int[] numbers = types.stream().mapToInt(known::knownNumberOf).toArray();
        if (Arrays.stream(numbers).allMatch(number -> number != NO_NUMBER) || !learnIfAnswered(types)) {
            return numbers;
        }
        return types.stream().mapToInt(known::knownNumberOf).toArray();
    }

    private synchronized boolean learnIfAnswered(List<Type> types) {
        if (System.nanoTime() - silentUntil < 0) {
            return false;
        }
        try {
            learn(types);
            return true;
        } catch (ExchangeException e) {
            // The image describes the types.
            silentUntil = System.nanoTime() + SILENT_NANOS;
            return false;
        }
    }

    @Override
    public @Nullable Type typeOf(int number) {
        return typesOf(new int[] {number})[0];
    }

    @Override
    public @Nullable Type[] typesOf(int[] numbers) {
        if (Arrays.stream(numbers).anyMatch(number -> number >= known.size() && number < Types.MOST_TYPES)) {
            learn(List.of());
        }
        @Nullable Type[] types = new Type[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            types[i] = known.typeOf(numbers[i]);
        }
        return types;
    }

    /** Asks for numbers, and for all types that are not known here. */
    private synchronized void learn(List<Type> types) {
        List<Type> rest = new ArrayList<>(types);
        rest.removeIf(type -> known.knownNumberOf(type) != NO_NUMBER || !TypeDescriptions.fits(type));
        boolean more;
        do {
            List<Type> asked = rest.subList(0, TypeDescriptions.fitting(rest));
            more = add(
                    access.call(ACTION, new Request.NumberTypes(known.size(), List.copyOf(asked)), Reply.Types.class));
            asked.clear();
        } while (more || !rest.isEmpty());
    }

    /** Adds what the server tells; returns whether there is more. */
    private synchronized boolean add(Reply.Types told) {
        if (!told.registry().equals(known.id())) {
            throw ExchangeException.of(
                    ExchangeException.Reason.GROUP_GONE,
                    ACTION,
                    "the server was started again and has another registry; call GlobalHeap.typeRegistry again");
        }
        if (told.first() != known.size() || told.more() && told.types().isEmpty()) {
            throw lie("it tells " + told.types().size() + " types from number " + told.first() + " on, expected "
                    + known.size());
        }
        for (Type type : told.types()) {
            bytes += type.description().length;
            int number = known.size();
            if (number >= Types.MOST_TYPES || bytes > Types.MOST_BYTES) {
                throw lie("it has more than " + Types.MOST_TYPES + " types, or " + Types.MOST_BYTES
                        + " bytes of descriptions");
            }
            if (known.numberOf(type.loaderScope(), type.description()) != number) {
                throw lie("type " + number + " has another number too");
            }
        }
        return told.more();
    }

    private static ExchangeException lie(String why) {
        return ExchangeException.of(ExchangeException.Reason.PROTOCOL, ACTION, why);
    }
}
