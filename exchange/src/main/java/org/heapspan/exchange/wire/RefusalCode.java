package org.heapspan.exchange.wire;

/** Why a server refuses a request. A number that was used once keeps its meaning. */
public enum RefusalCode {
    /** The request breaks the protocol. */
    PROTOCOL(1),
    /** The client does not know the secret of the server. */
    SECRET(2),
    /** The key has not been committed. */
    KEY_MISSING(3),
    /** The key has been committed, and the request did not say which version to replace. */
    KEY_EXISTS(4),
    /** The key has another version than the one to replace. */
    OTHER_VERSION(5),
    /** There is no group with this address: it was freed, or belongs to a server that has ended. */
    GROUP_GONE(6),
    /** The memory of the server is used up. */
    FULL(7),
    /** Something is longer or more than the server allows. */
    LIMIT(8),
    /** The server has as many connections or sessions as it allows, or uses all that it has to the server that it has joined. */
    BUSY(9),
    /** A file of the server could not be read or written. */
    STORAGE(10),
    /** The bytes that arrived are not those that the client sent. */
    CHECKSUM(11),
    /** The server is being closed. */
    CLOSING(12),
    /** The server that this one has joined cannot be reached. */
    UNREACHABLE(13),
    /** Another server of several that replicate their keys leads, or none does. Whether a change was made may be unknown. */
    NOT_LEADER(14);

    private final byte number;

    RefusalCode(int number) {
        this.number = (byte) number;
    }

    byte number() {
        return number;
    }

    static RefusalCode of(byte number) throws MalformedFrameException {
        for (RefusalCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        throw new MalformedFrameException("a refusal has the unknown code " + number);
    }
}
