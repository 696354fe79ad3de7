/**
 * Records as bytes: groups, how they lie in a stream, and Spark's streams on top of them.
 *
 * <p>Entry points: {@link HeapspanSerializerInstance} and {@link PartitionedGroups}, which the serializer hands to Spark; {@link RecordEngine} keeps what
 * is worth keeping between them. {@link GroupFraming} draws the bytes.
 *
 * <p>Invariants: a record may be changed once it is written. Each group is read without its neighbours, so that blocks can be put one behind the other. A
 * stream without its mark at the end is an error, never a short result. Exceptions are those that Spark expects ({@link Checked}).
 *
 * <p>Tests: {@code HeapspanSerializerTest}, {@code PartitionedGroupsTest}, {@code DamagedStreamTest}, {@code LongRecordTest}, {@code BroadcastInputTest}.
 */
@NullMarked
package org.heapspan.spark.record;

import org.jspecify.annotations.NullMarked;
