package org.heapspan.nativerdd;

/**
 * What a stage is to do.
 *
 * @param kernel the code: its distance in bytes from the beginning of the shared object
 * @param operators the names of its operators, for messages
 * @param partition which partition it computes
 * @param attempt 0 for the first attempt at this partition
 * @param inputs the number of its inputs
 * @param outputPartitions the number of partitions that a map side writes for; 0 for other stages
 * @param captures what the code has captured; stays until the stage is closed
 * @param freeStorageBytes memory in which persisted batches fit so that no other ones go
 */
public record StageTask(
        long kernel,
        String operators,
        int partition,
        int attempt,
        int inputs,
        int outputPartitions,
        NativeBatch captures,
        long freeStorageBytes) {}
