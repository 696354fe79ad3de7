package org.heapspan.nativerdd;

/**
 * What a stage of a native program calls in its task; {@code heapspan_task} in {@code boundary.h}. Called by the thread that advances or closes the
 * stage. What a method throws ends the stage, and arrives at that thread unchanged. Addresses are absolute, sizes are in bytes.
 */
public interface TaskHost {
    /**
     * Lends the next batch of an input.
     *
     * @param input its number
     * @return the number of the batch, or -1 if there are no more
     */
    long nextBatch(int input);

    /**
     * Where a batch is that was lent.
     *
     * @param batch its number
     * @return a multiple of 8
     */
    long batchAddress(long batch);

    /**
     * How large a batch is that was lent.
     *
     * @param batch its number
     * @return bytes
     */
    long batchSizeBytes(long batch);

    /**
     * Takes back a batch.
     *
     * @param batch its number
     */
    void releaseBatch(long batch);

    /**
     * Begins an input again from its first batch.
     *
     * @param input its number
     */
    void rewindInput(int input);

    /**
     * Takes over a batch, also if it throws.
     *
     * @param address of memory from {@code malloc}
     * @param sizeBytes its size
     */
    void emitBatch(long address, long sizeBytes);

    /**
     * Appends a batch to the output of a map side. Partitions come in ascending order.
     *
     * @param partition for which it is
     * @param address of memory that stays until the call returns
     * @param sizeBytes its size
     */
    void writeMapOutput(int partition, long address, long sizeBytes);

    /**
     * Reserves memory of the task.
     *
     * @param sizeBytes how much
     * @return false if it was refused, and nothing is reserved
     */
    boolean reserveMemory(long sizeBytes);

    /**
     * Gives memory back.
     *
     * @param sizeBytes how much
     */
    void releaseMemory(long sizeBytes);

    /**
     * Makes a file that will be written once and then read once.
     *
     * @return its number
     */
    long createSpill();

    /**
     * Appends to a spill.
     *
     * @param spill its number
     * @param address of memory that stays until the call returns
     * @param sizeBytes its size
     */
    void writeSpill(long spill, long address, long sizeBytes);

    /**
     * Reads on in a spill. The first call ends the writing.
     *
     * @param spill its number
     * @param address of the memory that is filled
     * @param sizeBytes its size
     */
    void readSpill(long spill, long address, long sizeBytes);

    /**
     * Deletes a spill.
     *
     * @param spill its number
     */
    void deleteSpill(long spill);

    /**
     * Whether the task was killed.
     *
     * @return true if it was; then the stage fails, and what {@link #nextBatch} throws is not to be expected
     */
    boolean isCancelled();

    /**
     * Where the value of a broadcast is, which stays until the stage is closed.
     *
     * @param broadcast its number
     * @return a multiple of 8
     */
    long broadcastAddress(long broadcast);

    /**
     * How large the value of a broadcast is.
     *
     * @param broadcast its number
     * @return bytes
     */
    long broadcastSizeBytes(long broadcast);

    /**
     * Adds to an accumulator.
     *
     * @param accumulator its number
     * @param bits of a {@code long}, or of a {@code double} as {@link Double#doubleToRawLongBits} has them
     */
    void accumulate(long accumulator, long bits);
}
