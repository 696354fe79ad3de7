package org.heapspan.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import org.heapspan.exchange.client.Lease;
import org.jspecify.annotations.Nullable;

/**
 * An {@link ObjectInputStream} that reads what {@link ExchangeObjectOutputStream} has written: it takes each object from the exchange space (ZCOT
 * section 3.3, {@code ZCObjectInputStream}). An object can be taken once; its group is freed when it has been read.
 *
 * <p>The bytes of the stream need not be trusted: of Java's serialization only the class of an address is accepted. The objects are decoded as {@link
 * GlobalHeap#get} does. Not thread-safe.
 *
 * <p>Failures of the exchange are an {@link ExchangeException}.
 */
public final class ExchangeObjectInputStream extends ObjectInputStream {
    /** Accepts addresses, and once the class of an object that was taken: the superclass asks for that too. */
    private static final class Filter implements ObjectInputFilter {
        private @Nullable Class<?> taken;

        void accept(@Nullable Object value) {
            taken = value == null ? null : value.getClass();
        }

        @Override
        public Status checkInput(FilterInfo info) {
            Class<?> type = info.serialClass();
            if (type != null && type == taken) {
                taken = null;
                return Status.ALLOWED;
            }
            return type == null || type == GroupReference.class ? Status.ALLOWED : Status.REJECTED;
        }
    }

    private final Filter filter = new Filter();
    private final HeapAccess access;

    /**
     * Opens a stream.
     *
     * @param source delivers addresses and primitive data
     * @param heap where the objects are; must stay open
     * @throws IOException if the source fails, or is no object stream
     */
    @SuppressWarnings("this-escape") // The methods of the superclass are final, or not overridden.
    public ExchangeObjectInputStream(InputStream source, GlobalHeap heap) throws IOException {
        super(source);
        access = heap.access();
        setObjectInputFilter(filter);
        enableResolveObject(true);
    }

    @Override
    protected @Nullable Object resolveObject(@Nullable Object value) {
        if (!(value instanceof GroupReference reference)) {
            return value;
        }
        String action = "receiving of the object at 0x" + Long.toHexString(reference.address());
        Lease lease = access.take(action, reference.address());
        try {
            if (lease.group().sizeBytes() != reference.sizeBytes()) {
                throw ExchangeException.of(
                        ExchangeException.Reason.PROTOCOL,
                        action,
                        "it has " + lease.group().sizeBytes() + " bytes, the stream expects " + reference.sizeBytes());
            }
            Object object = access.read(action, lease, Object.class);
            filter.accept(object);
            return object;
        } finally {
            access.client().release(lease);
        }
    }
}
