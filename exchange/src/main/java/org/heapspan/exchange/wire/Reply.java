package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;

/** What a server answers. */
public sealed interface Reply extends Message {

    /** The request is fulfilled. */
    record Done() implements Reply {
        @Override
        public MessageType type() {
            return MessageType.DONE;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** The request is refused. */
    record Refusal(RefusalCode code, String reason) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.REFUSAL;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(code.number());
            body.text(reason);
        }
    }

    /** Answers {@link Request.Reserve}. */
    record Reserved(long address) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.RESERVED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
        }
    }

    /** Answers {@link Request.Commit}; version 0 without a key. */
    record Committed(long version) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.COMMITTED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(version);
        }
    }

    /** Answers {@link Request.Store}; version 0 without a key. */
    record Stored(long address, long version) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.STORED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(address);
            body.number(version);
        }
    }

    /** Answers {@link Request.ReadKey}. */
    sealed interface Found extends Reply {}

    /** Answers {@link Request.LocateKey}, {@link Request.LocateAddress} and {@link Request.ReadKey}: the group is leased. */
    record Located(GroupDescription group) implements Found {
        @Override
        public MessageType type() {
            return MessageType.LOCATED;
        }

        @Override
        public void write(BodyWriter body) {
            group.write(body);
        }
    }

    /** Answers {@link Request.ReadKey} with a short group, which is not leased. */
    record Content(GroupDescription group, ByteBuffer bytes) implements Found {
        @Override
        public MessageType type() {
            return MessageType.CONTENT;
        }

        @Override
        public void write(BodyWriter body) {
            group.write(body);
            body.rest(bytes);
        }
    }

    /** Answers {@link Request.Fetch}; the bytes of the group follow the frame. */
    record Payload(long sizeBytes) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.PAYLOAD;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(sizeBytes);
        }
    }

    /** Answers {@link Request.ListKeys} and {@link Request.StatKey}. */
    record Keys(List<KeyDescription> keys, boolean more) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.KEYS;
        }

        @Override
        public void write(BodyWriter body) {
            KeyDescription.writeAll(body, keys);
            body.flag(more);
        }
    }

    /** Answers {@link Request.AskStatus}. */
    record Status(
            long capacityBytes,
            long usedBytes,
            int groups,
            int keys,
            int sessions,
            int connections,
            long upMillis,
            String directory,
            String version)
            implements Reply {
        @Override
        public MessageType type() {
            return MessageType.STATUS;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(capacityBytes);
            body.number(usedBytes);
            body.number(groups);
            body.number(keys);
            body.number(sessions);
            body.number(connections);
            body.number(upMillis);
            body.text(directory);
            body.text(version);
        }
    }

    /** Answers {@link Request.AwaitFreed}: groups that are no more, chunks that get no more groups, and the number of the last of all of these. */
    record Freed(long last, long[] groups, long[] chunks) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.FREED;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(last);
            GroupDescription.writeNumbers(body, groups);
            GroupDescription.writeNumbers(body, chunks);
        }
    }

    /** Answers {@link Request.FindCopies}: keepers that have a copy, and groups that the group needs and the asking keeper does not have. */
    record Copies(List<String> places, long[] needed) implements Reply {
        private static final int LEAST_BYTES = 2;

        static Copies read(BodyReader body) throws MalformedFrameException {
            int count = body.count(LEAST_BYTES);
            List<String> places = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                places.add(body.text());
            }
            return new Copies(places, GroupDescription.readNumbers(body));
        }

        @Override
        public MessageType type() {
            return MessageType.COPIES;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(places.size());
            places.forEach(body::text);
            GroupDescription.writeNumbers(body, needed);
        }
    }

    /** Answers {@link Request.AskOrigin}. {@code several}: the server is a keeper that has joined servers that replicate their keys. */
    record Origin(boolean several) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.ORIGIN;
        }

        @Override
        public void write(BodyWriter body) {
            body.flag(several);
        }
    }

    /** The server is busy with the request: its reply follows. */
    record Working() implements Reply {
        @Override
        public MessageType type() {
            return MessageType.WORKING;
        }

        @Override
        public void write(BodyWriter body) {}
    }

    /** Answers {@link Request.NumberTypes}: the types from a number on, as many as fit into a message. */
    record Types(UUID registry, int first, List<TypeRegistry.Type> types, boolean more) implements Reply {
        static Types read(BodyReader body) throws MalformedFrameException {
            return new Types(
                    new UUID(body.longNumber(), body.longNumber()),
                    body.number(),
                    TypeDescriptions.readAll(body),
                    body.flag());
        }

        @Override
        public MessageType type() {
            return MessageType.TYPES;
        }

        @Override
        public void write(BodyWriter body) {
            body.number(registry.getMostSignificantBits());
            body.number(registry.getLeastSignificantBits());
            body.number(first);
            TypeDescriptions.writeAll(body, types);
            body.flag(more);
        }
    }

    /** Answers {@link Request.AskPeer}. */
    record PeerAnswer(ByteBuffer message) implements Reply {
        /** Takes a copy, because the connection is used again before the answer is. */
        static PeerAnswer read(BodyReader body) {
            ByteBuffer rest = body.rest();
            return new PeerAnswer(
                    ByteBuffer.allocate(rest.remaining()).put(rest).flip());
        }

        @Override
        public MessageType type() {
            return MessageType.PEER_ANSWER;
        }

        @Override
        public void write(BodyWriter body) {
            body.rest(message);
        }
    }
}
