/**
 * The owner of the bytes: one file for each chunk in a folder of its own, in memory (tmpfs) unless another folder is named. Internal.
 *
 * <p>Entry points: {@link Keeper} is the owner. {@link ChunkFolder} says how its folder looks, so that clients on the same host find the files.
 *
 * <p>Keys that are kept: {@link KeptKeys} says when a change is on the device, {@link KeyJournal} is the file, {@link JournalLayout} its bytes.
 *
 * <p>Invariants: files are new, of mode 600, and only this process has made them. A file that others may have mapped is never made shorter: its
 * pages are given back, then its name.
 *
 * <p>Tests: {@code KeeperTest}, {@code KeyJournalTest}.
 */
@NullMarked
package org.heapspan.exchange.keeper;

import org.jspecify.annotations.NullMarked;
