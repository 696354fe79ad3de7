/**
 * Groups of records, the framing of groups in a stream, and Spark's streams of records.
 *
 * <p>Entry points: {@link HeapspanSerializerInstance} and {@link PartitionedGroups}, which the serializer gives to Spark; {@link RecordEngine} caches
 * their readers and writers. {@link GroupFraming} specifies the bytes. {@link PlainPairs} are pairs of numbers, strings and byte arrays in shuffles.
 *
 * <p>Invariants: a program may change a record after it was written. Each group can be read alone, so blocks can be concatenated. A
 * stream without its end mark is an error, never a short result. Exceptions are those that Spark expects ({@link Checked}).
 *
 * <p>Tests: {@code HeapspanSerializerTest}, {@code PartitionedGroupsTest}, {@code PlainPairsTest}, {@code DamagedStreamTest}, {@code LongRecordTest}, {@code JavaStreamTest}.
 */
@NullMarked
package org.heapspan.spark.record;

import org.jspecify.annotations.NullMarked;
