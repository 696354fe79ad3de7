package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A secret that client and server know, and never send: each proves that it can compute with it. Immutable. */
public final class SharedSecret {
    /** Length of a nonce and of a proof. */
    public static final int PROOF_BYTES = 32;

    /** A secret is at least this long: a shorter one could be guessed from a recorded handshake. */
    public static final int LEAST_BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] secret;

    /**
     * Takes a copy.
     *
     * @throws IllegalArgumentException if it is too short
     */
    public SharedSecret(byte[] secret) {
        if (secret.length < LEAST_BYTES) {
            throw new IllegalArgumentException("the secret has " + secret.length + " bytes, expected at least "
                    + LEAST_BYTES + "; for example the output of: openssl rand -hex 32");
        }
        this.secret = secret.clone();
    }

    /** Bytes that nobody can predict. */
    public static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** What only who knows the secret can compute for this handshake. */
    public byte[] proofOfClient(Handshake.Hello hello, Handshake.Challenge challenge) {
        return compute("heapspan exchange 1 client", hello, challenge, ByteBuffer.allocate(0));
    }

    /** The same for the server, so that nobody can send a proof back to its maker; of all that it says. */
    public Handshake.Welcome proved(Handshake.Hello hello, Handshake.Challenge challenge, Handshake.Welcome welcome) {
        Handshake.Welcome unproved = welcome.withProof(new byte[PROOF_BYTES]);
        BodyWriter said = new BodyWriter();
        unproved.write(said);
        return welcome.withProof(compute("heapspan exchange 1 server", hello, challenge, said.written()));
    }

    /** The key of all later frames of the connection. */
    public byte[] keyOfFrames(Handshake.Hello hello, Handshake.Challenge challenge) {
        return compute("heapspan exchange 1 frames", hello, challenge, ByteBuffer.allocate(0));
    }

    private byte[] compute(String purpose, Handshake.Hello hello, Handshake.Challenge challenge, ByteBuffer more) {
        Mac mac = mac(secret);
        mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
        mac.update(hello.nonce());
        mac.update(hello.session());
        mac.update(challenge.serverId());
        mac.update(challenge.nonce());
        mac.update(more);
        return mac.doFinal();
    }

    /** Compares without telling by its duration where two proofs differ. */
    public static boolean areEqual(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + ", which every JDK has, is missing", e);
        }
    }
}
