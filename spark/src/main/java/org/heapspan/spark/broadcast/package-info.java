/**
 * Broadcasts whose bytes the executors of a host share: one of them fetches the bytes and stores them in a file in memory, the others decode that.
 *
 * <p>Entry points: {@link BroadcastSharing}, which driver and executors call once; {@link HostFiles}, which broadcasts then call.
 *
 * <p>Invariants: the start never fails, and neither does a read: whatever goes wrong, Spark reads the broadcast by itself. Files belong to the user,
 * and nobody else may read them. A file with the name of a broadcast is complete. Locks save work, and right results do not depend on them. The
 * kernel gives up the locks of executors that are killed, so their files are found and deleted.
 *
 * <p>Tests: {@code BroadcastSharingTest}, {@code SharingFolderTest}, {@code HostFilesTest}, {@code SharedBroadcastIT}.
 */
@NullMarked
package org.heapspan.spark.broadcast;

import org.jspecify.annotations.NullMarked;
