package org.heapspan.exchange.wire;

import java.util.List;

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

    /** Answers {@link Request.LocateKey} and {@link Request.LocateAddress}. */
    record Located(GroupDescription group) implements Reply {
        @Override
        public MessageType type() {
            return MessageType.LOCATED;
        }

        @Override
        public void write(BodyWriter body) {
            group.write(body);
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
}
