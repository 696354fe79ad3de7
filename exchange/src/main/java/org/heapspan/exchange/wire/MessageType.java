package org.heapspan.exchange.wire;

/** The kinds of messages with their numbers, and how each is read. A number that was used once keeps its meaning, or has none, as 37. */
public enum MessageType {
    HELLO(1, body -> new Handshake.Hello(body.bytes(32), body.bytes(16))),
    CHALLENGE(2, body -> new Handshake.Challenge(body.bytes(16), body.bytes(32), body.flag())),
    PROOF(3, body -> new Handshake.Proof(body.bytes(32))),
    WELCOME(
            4,
            body -> new Handshake.Welcome(
                    body.bytes(32), body.bytes(16), body.text(), body.number(), body.longNumber())),
    RESERVE(16, body -> new Request.Reserve(body.longNumber())),
    DATA(17, body -> new Request.Data(body.longNumber(), body.longNumber(), body.rest())),
    COMMIT(
            18,
            body -> new Request.Commit(
                    body.longNumber(),
                    body.longNumber(),
                    body.number(),
                    body.flag(),
                    body.flag(),
                    body.flag(),
                    body.text(),
                    body.longNumber(),
                    body.text())),
    LOCATE_KEY(19, body -> new Request.LocateKey(body.text(), body.longNumber())),
    LOCATE_ADDRESS(20, body -> new Request.LocateAddress(body.longNumber(), body.flag())),
    FETCH(21, body -> new Request.Fetch(body.longNumber())),
    RELEASE(22, body -> new Request.Release(GroupDescription.readNumbers(body))),
    REMOVE(23, body -> new Request.Remove(body.text(), body.longNumber())),
    LIST_KEYS(24, body -> new Request.ListKeys(body.text(), body.text())),
    STAT_KEY(25, body -> new Request.StatKey(body.text())),
    ASK_STATUS(26, body -> new Request.AskStatus()),
    PING(27, body -> new Request.Ping()),
    GOODBYE(28, body -> new Request.Goodbye()),
    STORE(
            29,
            body -> new Request.Store(
                    body.number(), body.flag(), body.text(), body.longNumber(), body.text(), body.rest())),
    JOIN(30, body -> new Request.Join(body.number())),
    ADD_COPY(31, body -> new Request.AddCopy(body.longNumber())),
    DROP_COPIES(32, body -> new Request.DropCopies(GroupDescription.readNumbers(body))),
    AWAIT_FREED(33, body -> new Request.AwaitFreed(body.longNumber(), body.longNumber())),
    FIND_COPIES(34, body -> new Request.FindCopies(body.longNumber())),
    FETCH_COPY(35, body -> new Request.FetchCopy(body.longNumber())),
    DEPEND(36, body -> new Request.Depend(body.longNumber(), GroupDescription.readNumbers(body))),
    NUMBER_TYPES(38, body -> new Request.NumberTypes(body.number(), TypeDescriptions.readAll(body))),
    NUMBERED(39, Request.Numbered::read),
    ASK_PEER(40, body -> new Request.AskPeer(body.rest())),
    STORE_COPY(
            41,
            body -> new Request.StoreCopy(
                    body.longNumber(),
                    body.longNumber(),
                    body.longNumber(),
                    body.number(),
                    body.longNumber(),
                    body.rest())),
    FORGET_COPY(42, body -> new Request.ForgetCopy(body.longNumber(), body.longNumber())),
    READ_KEY(43, body -> new Request.ReadKey(body.text(), body.longNumber(), body.number())),
    ASK_ORIGIN(44, body -> new Request.AskOrigin()),
    ABANDON(45, body -> new Request.Abandon(body.bytes(32), body.longNumber())),
    DONE(48, body -> new Reply.Done()),
    REFUSAL(49, body -> new Reply.Refusal(RefusalCode.of(body.octet()), body.text())),
    RESERVED(50, body -> new Reply.Reserved(body.address(1))),
    COMMITTED(51, body -> new Reply.Committed(body.longNumber())),
    LOCATED(52, body -> new Reply.Located(GroupDescription.read(body))),
    PAYLOAD(53, body -> new Reply.Payload(body.longNumber())),
    KEYS(54, body -> new Reply.Keys(KeyDescription.readAll(body), body.flag())),
    STATUS(
            55,
            body -> new Reply.Status(
                    body.longNumber(),
                    body.longNumber(),
                    body.number(),
                    body.number(),
                    body.number(),
                    body.number(),
                    body.longNumber(),
                    body.text(),
                    body.text())),
    STORED(56, body -> new Reply.Stored(body.address(0), body.longNumber())),
    FREED(
            57,
            body -> new Reply.Freed(
                    body.longNumber(), GroupDescription.readNumbers(body), GroupDescription.readNumbers(body))),
    COPIES(58, Reply.Copies::read),
    WORKING(59, body -> new Reply.Working()),
    TYPES(60, Reply.Types::read),
    PEER_ANSWER(61, Reply.PeerAnswer::read),
    CONTENT(62, body -> new Reply.Content(GroupDescription.read(body), body.rest())),
    ORIGIN(63, body -> new Reply.Origin(body.flag()));

    private static final MessageType[] BY_NUMBER = new MessageType[Byte.MAX_VALUE + 1];

    static {
        for (MessageType type : values()) {
            BY_NUMBER[type.number] = type;
        }
    }

    /** Reads the values of a message. */
    private interface Reading {
        Message read(BodyReader body) throws MalformedFrameException;
    }

    private final byte number;

    @SuppressWarnings("ImmutableEnumChecker") // A function without state.
    private final Reading reading;

    MessageType(int number, Reading reading) {
        this.number = (byte) number;
        this.reading = reading;
    }

    byte number() {
        return number;
    }

    static MessageType of(byte number) throws MalformedFrameException {
        MessageType type = number < 0 ? null : BY_NUMBER[number];
        if (type == null) {
            throw new MalformedFrameException("a frame has the unknown type " + number);
        }
        return type;
    }

    /** Reads a message inside of another one, which ends with it. Only what changes something is there, so nothing is nested twice. */
    Message readChange(BodyReader body) throws MalformedFrameException {
        if (this != COMMIT && this != STORE && this != REMOVE && this != RELEASE) {
            throw new MalformedFrameException(
                    "a " + this + " has a number, which only changes of keys and releases have");
        }
        return reading.read(body);
    }

    /** Reads a message that fills its body. */
    Message read(BodyReader body) throws MalformedFrameException {
        Message message = reading.read(body);
        body.finish();
        return message;
    }
}
