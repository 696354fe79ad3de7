package org.heapspan.exchange.client;

import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusedException;

/** Says of a transfer that has failed which other copies were asked for in vain. */
final class TransferFailure {
    private TransferFailure() {}

    /**
     * The same failure with more text.
     *
     * @param failure of the transfer from the server
     * @param others what has become of other copies
     * @return never
     */
    static IOException with(Exception failure, List<String> others) throws RefusedException {
        String message = (failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage())
                + (others.isEmpty()
                        ? "; no keeper has another copy that could be asked for"
                        : "; other copies were tried in vain: " + String.join(", ", others));
        if (failure instanceof RefusedException refused) {
            RefusedException told = new RefusedException(refused.code(), message);
            told.initCause(failure);
            throw told;
        }
        IOException told = failure instanceof MalformedFrameException
                ? new MalformedFrameException(message)
                : failure instanceof SSLException ? new SSLException(message) : new IOException(message);
        told.initCause(failure);
        return told;
    }
}
