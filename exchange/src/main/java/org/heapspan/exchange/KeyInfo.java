package org.heapspan.exchange;

import java.time.Instant;
import org.heapspan.Encoding;
import org.heapspan.exchange.wire.KeyDescription;

/**
 * What a server knows of a committed key.
 *
 * @param key the key
 * @param version 1 for the first commit, also after a removal; one more for each replacement
 * @param address of its group in the exchange space
 * @param sizeBytes length of its image
 * @param encoding of its image, as its writer has told
 * @param typeName class of the object, as its writer has told
 * @param committed when
 * @param leases how often clients use the group now
 */
public record KeyInfo(
        String key,
        long version,
        long address,
        long sizeBytes,
        Encoding encoding,
        String typeName,
        Instant committed,
        int leases) {
    static KeyInfo of(KeyDescription key) {
        return new KeyInfo(
                key.key(),
                key.group().version(),
                key.group().address(),
                key.group().sizeBytes(),
                key.group().raw() ? Encoding.RAW : Encoding.COMPACT,
                key.group().typeName(),
                Instant.ofEpochMilli(key.committedMillis()),
                key.leases());
    }
}
