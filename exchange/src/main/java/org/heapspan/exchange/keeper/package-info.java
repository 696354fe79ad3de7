/**
 * The owner of the bytes: one file for each chunk in a folder of its own, in memory (tmpfs) unless another folder is named. Internal.
 *
 * <p>Entry points: {@link Keeper} is the owner. {@link ChunkFolder} says how its folder looks, so that clients on the same host find the files.
 *
 * <p>Invariants: files are new, of mode 600, and only this process has made them. A file that others may have mapped is never made shorter: its
 * pages are given back, then its name.
 *
 * <p>Tests: {@code KeeperTest}.
 */
@NullMarked
package org.heapspan.exchange.keeper;

import org.jspecify.annotations.NullMarked;
