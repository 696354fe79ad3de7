package org.heapspan.exchange.keeper;

import org.heapspan.exchange.metadata.Chunks;
import org.jspecify.annotations.Nullable;

/**
 * The one or two folders of a keeper, and which of them has the file of a chunk. Immutable.
 *
 * @param <F> what a folder is to its user
 * @param first the folder of all chunks that are not of the overflow
 * @param overflow the folder of chunks of the {@linkplain Chunks#isOverflow overflow}, or null if the keeper has none
 * @param chunks how addresses are cut
 */
public record ChunkFolders<F>(F first, @Nullable F overflow, Chunks chunks) {
    /** The folder of a chunk. */
    public F of(long chunk) {
        return overflow != null && chunks.isOverflow(chunk) ? overflow : first;
    }
}
