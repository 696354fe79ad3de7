package org.heapspan.h2;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import org.heapspan.HeapspanException.Category;

/**
 * Encrypts what is in regions: AES in counter mode, with a key of this heap that exists in the memory of the process only. The bytes are as many as before, and
 * each piece is decrypted by itself. As with Spark's own files nothing tells whether somebody has changed them.
 *
 * <p>No counter is used twice with the key. It is the number of the use of a region, 8 bytes, and the number of the block of 16 bytes in it, 8 bytes. A
 * region is filled from its beginning to its end and no byte of it is written again before it is free as a whole; who takes it then has another
 * number. Thread-safe.
 */
final class RegionCipher {
    private static final String TRANSFORMATION = "AES/CTR/NoPadding";
    private static final int BLOCK_BYTES = 16;
    private static final int MOST_IDLE = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());

    private final SecretKey key;
    private final ConcurrentLinkedDeque<Cipher> idle = new ConcurrentLinkedDeque<>();
    private final Semaphore room = new Semaphore(MOST_IDLE);

    /** Of the thread of the storage. */
    private byte[] encrypted = {};

    /**
     * Makes a key.
     *
     * @throws SecondHeapException of category ACCESS if this JVM cannot encrypt so
     */
    RegionCipher(int keyBits) {
        try {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(keyBits);
            key = generator.generateKey();
            giveBack(Cipher.getInstance(TRANSFORMATION));
        } catch (GeneralSecurityException | RuntimeException e) {
            throw failure(e);
        }
    }

    private static SecondHeapException failure(Exception e) {
        return new SecondHeapException(
                Category.ACCESS,
                "this JVM does not encrypt for the second heap (" + TRANSFORMATION + "): " + e
                        + "; use a JDK with that cipher, or switch encryption or the second heap off",
                e);
    }

    /**
     * Encrypts bytes that are about to be written, for the thread of the storage.
     *
     * @param use number of the use of the region
     * @param offset in the region, or the run of regions
     * @param bytes all between position and limit; not changed
     * @return as many bytes, to be used before the next call
     */
    ByteBuffer encrypted(long use, long offset, ByteBuffer bytes) {
        int length = bytes.remaining();
        if (encrypted.length < length) {
            encrypted = new byte[length];
        }
        bytes.get(bytes.position(), encrypted, 0, length);
        crypt(use, offset, encrypted, length);
        return ByteBuffer.wrap(encrypted, 0, length);
    }

    /** Decrypts the first bytes of an array, where they are. */
    void decrypt(long use, long offset, byte[] bytes, int length) {
        crypt(use, offset, bytes, length);
    }

    /** The same in both directions. */
    private void crypt(long use, long offset, byte[] bytes, int length) {
        try {
            Cipher cipher = take();
            byte[] counter = ByteBuffer.allocate(BLOCK_BYTES)
                    .putLong(use)
                    .putLong(offset / BLOCK_BYTES)
                    .array();
            cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(counter));
            // Pieces begin anywhere: what comes before in the block has been used.
            int before = (int) (offset % BLOCK_BYTES);
            if (before > 0) {
                cipher.update(counter, 0, before, counter, 0);
            }
            cipher.update(bytes, 0, length, bytes, 0);
            giveBack(cipher);
        } catch (GeneralSecurityException e) {
            throw failure(e);
        }
    }

    private Cipher take() throws GeneralSecurityException {
        Cipher cipher = idle.pollLast();
        if (cipher == null) {
            return Cipher.getInstance(TRANSFORMATION);
        }
        room.release();
        return cipher;
    }

    private void giveBack(Cipher cipher) {
        if (room.tryAcquire()) {
            idle.addLast(cipher);
        }
    }
}
