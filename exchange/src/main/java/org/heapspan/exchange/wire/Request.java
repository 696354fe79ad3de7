package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;

/** What a client asks of a server. */
public sealed interface Request extends Message {
    /** The request itself, or what it holds if it is {@link Numbered}. */
    default Request change() {
        return this;
    }

    /** Asks for space in the exchange space: the first stage of a new group. */
    record Reserve(long sizeBytes) implements Request {
        @Override
        public MessageType type() {
            return MessageType.RESERVE;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(sizeBytes);
        }
    }

    /** Bytes of a group that is being populated. Has no reply: a failure is told at {@link Commit}. */
    record Data(long address, long offset, ByteBuffer bytes) implements Request {
        @Override
        public MessageType type() {
            return MessageType.DATA;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
            body.number(offset);
            body.rest(bytes);
        }
    }

    /** Makes a group visible, with a key unless that is empty. {@code direct}: the client has written to the chunk files itself. */
    record Commit(
            long address,
            long sizeBytes,
            int checksum,
            boolean raw,
            boolean direct,
            boolean handOver,
            String key,
            long replacedVersion,
            String typeName)
            implements Request {
        @Override
        public MessageType type() {
            return MessageType.COMMIT;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
            body.number(sizeBytes);
            body.number(checksum);
            body.flag(raw);
            body.flag(direct);
            body.flag(handOver);
            body.text(key);
            body.number(replacedVersion);
            body.text(typeName);
        }
    }

    /** Stores a short group as a whole: reserves, populates and commits. Its image is compact. */
    record Store(int checksum, boolean handOver, String key, long replacedVersion, String typeName, ByteBuffer bytes)
            implements Request {
        /** The most that it carries; longer groups are reserved first. */
        public static final int MOST_BYTES = 32 << 10;

        @Override
        public MessageType type() {
            return MessageType.STORE;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(checksum);
            body.flag(handOver);
            body.text(key);
            body.number(replacedVersion);
            body.text(typeName);
            body.rest(bytes);
        }

        /** The last stage of the same. */
        public Commit commit(long address) {
            return new Commit(
                    address, bytes.remaining(), checksum, false, false, handOver, key, replacedVersion, typeName);
        }
    }

    /** Asks for the group of a key, waits until it is committed, and leases it. */
    record LocateKey(String key, long waitMillis) implements Request {
        @Override
        public MessageType type() {
            return MessageType.LOCATE_KEY;
        }

        @Override
        public void write(BodyWriter body) {
            body.text(key);
            body.number(waitMillis);
        }
    }

    /** Asks for the group of a key, as {@link LocateKey}: if it is not longer than this, for its bytes, and then leases nothing. */
    record ReadKey(String key, long waitMillis, int mostBytes) implements Request {
        /** The longest group that is sent in the reply. */
        public static final int MOST_BYTES = 32 << 10;

        /** The same question, for a lease in any case. */
        public LocateKey forLease() {
            return new LocateKey(key, waitMillis);
        }

        @Override
        public MessageType type() {
            return MessageType.READ_KEY;
        }

        @Override
        public void write(BodyWriter body) {
            body.text(key);
            body.number(waitMillis);
            body.number(mostBytes);
        }
    }

    /** Asks for the group at an address, and leases it. {@code take} ends its hand-over. */
    record LocateAddress(long address, boolean take) implements Request {
        @Override
        public MessageType type() {
            return MessageType.LOCATE_ADDRESS;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
            body.flag(take);
        }
    }

    /** Asks for the bytes of a group that this session leases; they follow the reply. */
    record Fetch(long address) implements Request {
        @Override
        public MessageType type() {
            return MessageType.FETCH;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
        }
    }

    /**
     * Ends leases, or abandons reservations, once for each address. One that is {@linkplain #ofReserved negative} abandons a reservation only: its
     * client may not know that the space was committed.
     */
    record Release(long[] addresses) implements Request {
        /** Stands for an address in a message that abandons space if it is reserved still. */
        public static long ofReserved(long address) {
            return -address;
        }

        @Override
        public MessageType type() {
            return MessageType.RELEASE;
        }

        @Override
        public void write(BodyWriter body) {
            GroupDescription.writeNumbers(body, addresses);
        }
    }

    /** Removes a key. Version 0 is any. */
    record Remove(String key, long version) implements Request {
        @Override
        public MessageType type() {
            return MessageType.REMOVE;
        }

        @Override
        public void write(BodyWriter body) {
            body.text(key);
            body.number(version);
        }
    }

    /** Asks for the next keys in alphabetical order. */
    record ListKeys(String prefix, String after) implements Request {
        @Override
        public MessageType type() {
            return MessageType.LIST_KEYS;
        }

        @Override
        public void write(BodyWriter body) {
            body.text(prefix);
            body.text(after);
        }
    }

    /** Asks for what is known of a key. */
    record StatKey(String key) implements Request {
        @Override
        public MessageType type() {
            return MessageType.STAT_KEY;
        }

        @Override
        public void write(BodyWriter body) {
            body.text(key);
        }
    }

    /** Asks for the state of the server. */
    record AskStatus() implements Request {
        @Override
        public MessageType type() {
            return MessageType.ASK_STATUS;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** Asks whose groups the server has. */
    record AskOrigin() implements Request {
        @Override
        public MessageType type() {
            return MessageType.ASK_ORIGIN;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** Says that the client is there. */
    record Ping() implements Request {
        @Override
        public MessageType type() {
            return MessageType.PING;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** Ends the session and all it leases. */
    record Goodbye() implements Request {
        @Override
        public MessageType type() {
            return MessageType.GOODBYE;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** Makes the session that of a keeper, which has copies for the JVMs of its host. Other keepers reach it at this port; 0 if they do not. */
    record Join(int port) implements Request {
        @Override
        public MessageType type() {
            return MessageType.JOIN;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(port);
        }
    }

    /** A keeper has a copy of a group. */
    record AddCopy(long address) implements Request {
        @Override
        public MessageType type() {
            return MessageType.ADD_COPY;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
        }
    }

    /** A keeper has these copies no more. */
    record DropCopies(long[] addresses) implements Request {
        @Override
        public MessageType type() {
            return MessageType.DROP_COPIES;
        }

        @Override
        public void write(BodyWriter body) {
            GroupDescription.writeNumbers(body, addresses);
        }
    }

    /** Waits until a group was freed of which a keeper has a copy. {@code confirmed} is the last number that it has dealt with. */
    record AwaitFreed(long confirmed, long waitMillis) implements Request {
        @Override
        public MessageType type() {
            return MessageType.AWAIT_FREED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(confirmed);
            body.number(waitMillis);
        }
    }

    /** Asks where else the group is that this session leases, and which groups it needs. */
    record FindCopies(long address) implements Request {
        @Override
        public MessageType type() {
            return MessageType.FIND_COPIES;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
        }
    }

    /** Asks for the bytes of a copy, without a lease; they follow the reply. */
    record FetchCopy(long address) implements Request {
        @Override
        public MessageType type() {
            return MessageType.FETCH_COPY;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
        }
    }

    /** The group that this session populates needs others: they live as long as it does. */
    record Depend(long address, long[] needed) implements Request {
        @Override
        public MessageType type() {
            return MessageType.DEPEND;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
            GroupDescription.writeNumbers(body, needed);
        }
    }

    /**
     * The reply to the last request of another connection of this session has not come: what it gave is to be taken back. As many replies have come
     * before. The server may not have got that request.
     */
    record Abandon(byte[] nonce, long replies) implements Request {
        @Override
        public MessageType type() {
            return MessageType.ABANDON;
        }

        @Override
        public void write(BodyWriter body) {
            body.bytes(nonce);
            body.number(replies);
        }
    }

    /** Asks for numbers for types, and for the types that have numbers from the known count on. */
    record NumberTypes(int knownCount, List<TypeRegistry.Type> types) implements Request {
        @Override
        public MessageType type() {
            return MessageType.NUMBER_TYPES;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(knownCount);
            TypeDescriptions.writeAll(body, types);
        }
    }

    /**
     * What counts once if it is sent again, with a number: a change of a key, which is a {@link Commit}, {@link Store} or {@link Remove}, or a
     * {@link Release}.
     */
    record Numbered(UUID number, Request change) implements Request {
        static Numbered read(BodyReader body) throws MalformedFrameException {
            UUID number = new UUID(body.longNumber(), body.longNumber());
            return new Numbered(number, (Request) MessageType.of(body.octet()).readChange(body));
        }

        @Override
        public MessageType type() {
            return MessageType.NUMBERED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(number.getMostSignificantBits());
            body.number(number.getLeastSignificantBits());
            body.number(change.type().number());
            change.write(body);
        }
    }

    /** What the consensus of servers that replicate their keys asks another one of them. */
    record AskPeer(ByteBuffer message) implements Request {
        @Override
        public MessageType type() {
            return MessageType.ASK_PEER;
        }

        @Override
        public void write(BodyWriter body) {
            body.rest(message);
        }
    }

    /** The leader has another peer store bytes of a group, in one run of its leadership. The last ones are those at the end. */
    record StoreCopy(long run, long address, long sizeBytes, int checksum, long offset, ByteBuffer bytes)
            implements Request {
        @Override
        public MessageType type() {
            return MessageType.STORE_COPY;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(run);
            body.number(address);
            body.number(sizeBytes);
            body.number(checksum);
            body.number(offset);
            body.rest(bytes);
        }
    }

    /** The leader has not committed a group of which another peer has stored the bytes. */
    record ForgetCopy(long run, long address) implements Request {
        @Override
        public MessageType type() {
            return MessageType.FORGET_COPY;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(run);
            body.number(address);
        }
    }
}
