package org.heapspan.exchange;

import java.io.IOException;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLException;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.client.ConnectionsInUseException;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.jspecify.annotations.Nullable;

/** An operation of the global heap failed. The message names what was tried, the server, and the reason. */
public final class ExchangeException extends HeapspanException {
    private static final long serialVersionUID = 1L;

    /** Why it failed. */
    public enum Reason {
        /** The server cannot be reached, or the connection was lost. If a reply was lost, it is unknown whether a change was made. */
        UNREACHABLE(Category.IO),
        /** No server of several that replicate their keys could be found that leads them. Whether a change was made is unknown. */
        NOT_LEADER(Category.IO),
        /** The server did not answer in time, or no connection was free. If a reply was lost, it is unknown whether a change was made. */
        DEADLINE(Category.IO),
        /** TLS failed: only one of the two ends uses it, or the certificate of the server is not accepted. */
        TLS(Category.USAGE),
        /** Client and server do not have the same secret. */
        SECRET(Category.USAGE),
        /** The key was not committed before the deadline. */
        KEY_MISSING(Category.USAGE),
        /** The key has been committed already. Replace it, or remove it first. */
        KEY_EXISTS(Category.USAGE),
        /** The key has another version than the one to replace or remove. */
        OTHER_VERSION(Category.USAGE),
        /** The group was freed, or belongs to a server that has ended, or this client was silent for longer than a lease. */
        GROUP_GONE(Category.USAGE),
        /** The memory of the server is used up. */
        FULL(Category.LIMIT),
        /**
         * Something is longer or more than the server allows, or is not accepted, such as control characters in a key. Or an object is longer than half
         * of the heap of this JVM, and does not come from shared memory.
         */
        LIMIT(Category.LIMIT),
        /** The server has as many connections or sessions as it allows, or the keeper that was asked uses all that it has to its server. */
        BUSY(Category.LIMIT),
        /** The bytes have another checksum than those that were committed. */
        DAMAGED(Category.MALFORMED),
        /** The other end does not speak the exchange protocol, or another version of it. */
        PROTOCOL(Category.MALFORMED),
        /** The image is raw, which only a client with the secret on the host of the server reads. */
        RAW(Category.LAYOUT),
        /** A file of the exchange could not be read or written. */
        STORAGE(Category.IO),
        /** The heap, the server, the handle or the object has been closed, or a {@link GObject} is in another stage. */
        CLOSED(Category.USAGE);

        private final Category category;

        Reason(Category category) {
            this.category = category;
        }
    }

    private final Reason reason;

    private ExchangeException(Reason reason, String message, @Nullable Throwable cause) {
        super(reason.category, message, cause);
        this.reason = reason;
    }

    static ExchangeException of(Reason reason, String action, String why) {
        return new ExchangeException(reason, action + " failed: " + why, null);
    }

    static ExchangeException of(String action, RefusedException refused) {
        return new ExchangeException(reason(refused.code()), action + " failed: " + refused.getMessage(), refused);
    }

    static ExchangeException of(String action, IOException failure) {
        Reason reason = Reason.UNREACHABLE;
        if (failure instanceof SSLException) {
            reason = Reason.TLS;
        } else if (failure instanceof MalformedFrameException) {
            reason = Reason.PROTOCOL;
        } else if (failure instanceof SocketTimeoutException || failure instanceof ConnectionsInUseException) {
            reason = Reason.DEADLINE;
        }
        String why = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        if (failure instanceof ConnectionsInUseException) {
            why += "; let fewer threads use the heap at the same time, or give it more connections"
                    + " (GlobalHeapOptions.withConnections)";
        }
        return new ExchangeException(reason, action + " failed: " + why, failure);
    }

    private static Reason reason(RefusalCode code) {
        return switch (code) {
            case PROTOCOL -> Reason.PROTOCOL;
            case SECRET -> Reason.SECRET;
            case KEY_MISSING -> Reason.KEY_MISSING;
            case KEY_EXISTS -> Reason.KEY_EXISTS;
            case OTHER_VERSION -> Reason.OTHER_VERSION;
            case GROUP_GONE -> Reason.GROUP_GONE;
            case FULL -> Reason.FULL;
            case LIMIT -> Reason.LIMIT;
            case BUSY -> Reason.BUSY;
            case STORAGE -> Reason.STORAGE;
            case CHECKSUM -> Reason.DAMAGED;
            case CLOSING -> Reason.CLOSED;
            case UNREACHABLE -> Reason.UNREACHABLE;
            case NOT_LEADER -> Reason.NOT_LEADER;
        };
    }

    /**
     * Returns why it failed.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
