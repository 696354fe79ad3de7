package org.heapspan.exchange.wire;

/** The four messages with which a connection begins, in this order. */
public sealed interface Handshake extends Message {

    /** The first frame of a client. A session of zeros asks for a new one. */
    record Hello(byte[] nonce, byte[] session) implements Handshake {
        @Override
        public MessageType type() {
            return MessageType.HELLO;
        }

        @Override
        public void write(BodyWriter body) {
            body.bytes(nonce);
            body.bytes(session);
        }
    }

    /** The answer to {@link Hello}. */
    record Challenge(byte[] serverId, byte[] nonce, boolean secretNeeded) implements Handshake {
        @Override
        public MessageType type() {
            return MessageType.CHALLENGE;
        }

        @Override
        public void write(BodyWriter body) {
            body.bytes(serverId);
            body.bytes(nonce);
            body.flag(secretNeeded);
        }
    }

    /** Shows that the client knows the secret; zeros if none is needed. */
    record Proof(byte[] proof) implements Handshake {
        @Override
        public MessageType type() {
            return MessageType.PROOF;
        }

        @Override
        public void write(BodyWriter body) {
            body.bytes(proof);
        }
    }

    /** Shows that the server knows the secret, and says what a client needs to know of it. */
    record Welcome(byte[] proof, byte[] session, String directory, int chunkBytes, long leaseMillis)
            implements Handshake {
        Welcome withProof(byte[] other) {
            return new Welcome(other, session, directory, chunkBytes, leaseMillis);
        }

        @Override
        public MessageType type() {
            return MessageType.WELCOME;
        }

        @Override
        public void write(BodyWriter body) {
            body.bytes(proof);
            body.bytes(session);
            body.text(directory);
            body.number(chunkBytes);
            body.number(leaseMillis);
        }
    }
}
