/**
 * The adapter for Apache Flink: a serializer with its snapshot, and a type information ({@code docs/flink.md}).
 *
 * <p>{@link org.heapspan.flink.HeapspanTypeInfoFactory} is for annotations and for configuration, {@link
 * org.heapspan.flink.HeapspanTypeInformation} for programs, {@link org.heapspan.flink.HeapspanKryoSerializer} for programs that do not change.
 *
 * <p>Tests: {@code HeapspanSerializerTest}, {@code HeapspanSerializerSnapshotTest}, {@code RecordFormTest}, {@code UserClassesTest}; with jobs {@code FlinkJobsTest} and {@code
 * KilledTaskManagerTest}.
 */
@NullMarked
package org.heapspan.flink;

import org.jspecify.annotations.NullMarked;
