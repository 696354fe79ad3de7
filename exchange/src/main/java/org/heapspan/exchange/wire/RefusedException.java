package org.heapspan.exchange.wire;

/** A server refuses a request. The connection can be used further. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final RefusalCode code;

    public RefusedException(RefusalCode code, String message) {
        super(message);
        this.code = code;
    }

    public RefusalCode code() {
        return code;
    }
}
