package org.heapspan.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import org.heapspan.exchange.client.Lease;
import org.jspecify.annotations.Nullable;

/**
 * An {@link ObjectInputStream} that reads what {@link ExchangeObjectOutputStream} has written: it takes each object from the exchange space (ZCOT
 * section 3.3, {@code ZCObjectInputStream}). It finds out itself in which mode the stream was written. An object of a volatile stream can be read once;
 * its group is freed then. Objects of a persistent stream can be read again, by any number of readers, as long as their keys exist.
 *
 * <p>Each object is a new one that belongs to the reader. If the reader changes it, the stored one stays as it is, and so do the objects of other readers
 * (what ZCOT does by copy on write). Only {@linkplain GlobalHeap#share shared values} in it must not be changed.
 *
 * <p>The bytes of the stream need not be trusted: of Java's serialization only the class of an address is accepted. The objects are decoded as {@link
 * GlobalHeap#get} does. Not thread-safe.
 *
 * <p>Failures of the exchange are an {@link ExchangeException}. If an object is gone, the reason is GROUP_GONE. An object of a volatile stream
 * is gone when it has been read, or has waited too long. An object of a persistent stream is gone when its key was removed or replaced. All objects are
 * gone when a server ends that does not keep them.
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
            return type == null || type == GroupReference.class || type == StoredReference.class
                    ? Status.ALLOWED
                    : Status.REJECTED;
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
        if (value instanceof GroupReference sent) {
            String action = "receiving of the object at " + hexadecimal(sent.address()) + " (it can be read once)";
            return read(action, access.take(action, sent.address()), sent.sizeBytes());
        }
        if (value instanceof StoredReference stored) {
            String action =
                    "reading of the object at " + hexadecimal(stored.address()) + " (key '" + stored.key() + "')";
            return read(action, access.locate(action, stored.address()), stored.sizeBytes());
        }
        return value;
    }

    private static String hexadecimal(long address) {
        return "0x" + Long.toHexString(address);
    }

    private @Nullable Object read(String action, Lease lease, long sizeBytes) {
        try {
            if (lease.group().sizeBytes() != sizeBytes) {
                throw ExchangeException.of(
                        ExchangeException.Reason.PROTOCOL,
                        action,
                        "it has " + lease.group().sizeBytes() + " bytes, the stream expects " + sizeBytes);
            }
            Object object = access.read(action, lease, Object.class);
            filter.accept(object);
            return object;
        } finally {
            access.client().release(lease);
        }
    }
}
