package org.heapspan.nativerdd;

/**
 * What the driver side of a native program calls; {@code heapspan_driver} in {@code boundary.h}. Called by the thread that runs the program. What a
 * method throws ends the program, and arrives at that thread unchanged. Texts are in UTF-8. Addresses are absolute and valid until the call returns.
 * Nodes, broadcasts and accumulators are named by numbers.
 */
public interface ProgramHost {
    /** {@link #persist}: in memory; what does not fit is computed again. */
    int MEMORY = 0;

    /** {@link #persist}: what does not fit goes to disk. */
    int MEMORY_AND_DISK = 1;

    /** {@link #persist}: on disk. */
    int DISK = 2;

    /** {@link StagePlan#order()}: the result depends on the order of the records in the inputs. */
    int READS_ORDER = 1;

    /** {@link StagePlan#order()}: the order of the result depends on how much memory the task has. */
    int VARIES_ORDER = 2;

    /** {@link StagePlan#order()}: the result depends on an order within the stage that depends on memory. */
    int READS_VARIED_ORDER = 4;

    /** {@link #accumulator}: adds up numbers of type {@code long}. */
    int SUM_OF_LONGS = 0;

    /** {@link #accumulator}: adds up numbers of type {@code double}. */
    int SUM_OF_DOUBLES = 1;

    /**
     * What a stage runs and reads.
     *
     * @param operators the names of its operators
     * @param kernel the code: its distance in bytes from the beginning of the shared object
     * @param capturesAddress what the code has captured
     * @param capturesSizeBytes its size
     * @param cartesian whether it computes each pair of partitions of two inputs; otherwise partition p reads partition p of all inputs
     * @param order what the order of the records means to it: a sum of {@link #READS_ORDER}, {@link #VARIES_ORDER} and {@link #READS_VARIED_ORDER}
     * @param outputPartitions the number of partitions that a map side writes for; 0 for other stages
     * @param inputs the nodes that it reads
     */
    record StagePlan(
            String operators,
            long kernel,
            long capturesAddress,
            long capturesSizeBytes,
            boolean cartesian,
            int order,
            int outputPartitions,
            long[] inputs) {

        /**
         * Reads what a program passes.
         *
         * @param operators in UTF-8
         * @param values of a {@code heapspan_stage_plan}, in the order of {@code rdd_driver_host.cpp}
         * @param inputs nodes
         * @return the plan
         */
        public static StagePlan of(byte[] operators, long[] values, long[] inputs) {
            return new StagePlan(
                    new String(operators, java.nio.charset.StandardCharsets.UTF_8),
                    values[0],
                    values[1],
                    values[2],
                    values[3] != 0,
                    (int) values[4],
                    (int) values[5],
                    inputs);
        }
    }

    /**
     * A text file, a folder of them or a pattern. Batches have whole lines.
     *
     * @param path in UTF-8
     * @param minPartitions 0 leaves the number to the host
     * @return the node
     */
    long textFile(byte[] path, int minPartitions);

    /**
     * A file of records of equal size. Batches have whole records.
     *
     * @param path in UTF-8
     * @param recordBytes unsigned
     * @param minPartitions 0 leaves the number to the host
     * @return the node
     */
    long binaryRecords(byte[] path, int recordBytes, int minPartitions);

    /**
     * Parquet files: one, a folder of them or a pattern.
     *
     * @param path in UTF-8
     * @param columns names in UTF-8, in the order of the type; none: all that there are
     * @param type of a row, as {@code boundary.h} writes it
     * @return the node
     */
    long parquetFile(byte[] path, byte[][] columns, byte[] type);

    /**
     * Partitions that the program has made.
     *
     * @param ranges address and size of each; of size 0: a partition without batches
     * @return the node
     */
    long parallelize(long[] ranges);

    /**
     * A stage.
     *
     * @param operators as in {@link StagePlan#of}
     * @param values as in {@link StagePlan#of}
     * @param inputs as in {@link StagePlan#of}
     * @return the node
     */
    long stage(byte[] operators, long[] values, long[] inputs);

    /**
     * A shuffle, with the stage that is its map side.
     *
     * @param operators as in {@link StagePlan#of}
     * @param values as in {@link StagePlan#of}
     * @param inputs as in {@link StagePlan#of}
     * @return the node of what has been shuffled
     */
    long shuffle(byte[] operators, long[] values, long[] inputs);

    /**
     * The partitions of several nodes, one after the other.
     *
     * @param nodes in this order
     * @return the node
     */
    long unionOf(long[] nodes);

    /**
     * Fewer partitions, without a shuffle.
     *
     * @param node what has too many
     * @param partitions the most that there may be
     * @return the node
     */
    long coalesce(long node, int partitions);

    /**
     * The number of partitions.
     *
     * @param node of this node
     * @return 0 or more
     */
    int partitionCount(long node);

    /**
     * Keeps what will be computed.
     *
     * @param node of this node
     * @param level {@link #MEMORY}, {@link #MEMORY_AND_DISK} or {@link #DISK}
     */
    void persist(long node, int level);

    /**
     * Forgets what was kept.
     *
     * @param node of this node
     */
    void unpersist(long node);

    /**
     * Writes the node to the checkpoint folder when it is computed the next time.
     *
     * @param node this node
     */
    void checkpoint(long node);

    /**
     * The program does not use the node any more.
     *
     * @param node this node
     */
    void release(long node);

    /**
     * Computes partitions and {@linkplain NativeProgram#receive passes} their batches to the program.
     *
     * @param node of this node
     * @param partitions which ones
     * @param receiver for {@link NativeProgram#receive}
     * @param function for {@link NativeProgram#receive}
     * @return 0, or what the receiver returned to end the job
     */
    int collect(long node, int[] partitions, long receiver, long function);

    /**
     * Writes each partition as a file.
     *
     * @param node what is to be written
     * @param path the new folder, in UTF-8
     */
    void save(long node, byte[] path);

    /**
     * Writes each partition as a Parquet file.
     *
     * @param node what is to be written
     * @param path the new folder, in UTF-8
     * @param columns names in UTF-8, in the order of the type
     * @param type of a row, as {@code boundary.h} writes it
     */
    void saveParquet(long node, byte[] path, byte[][] columns, byte[] type);

    /**
     * Sends a value to the executors.
     *
     * @param address of the value
     * @param sizeBytes its size
     * @return the number of the broadcast
     */
    long broadcast(long address, long sizeBytes);

    /**
     * Removes a broadcast everywhere.
     *
     * @param broadcast its number
     */
    void destroyBroadcast(long broadcast);

    /**
     * The program uses a broadcast in no further stage. Those that were made before keep it.
     *
     * @param broadcast its number
     */
    void releaseBroadcast(long broadcast);

    /**
     * Makes a sum to which tasks add.
     *
     * @param name for the user interface, in UTF-8
     * @param kind {@link #SUM_OF_LONGS} or {@link #SUM_OF_DOUBLES}
     * @return its number
     */
    long accumulator(byte[] name, int kind);

    /**
     * The sum so far.
     *
     * @param accumulator its number
     * @return the bits of the number, as in {@link TaskHost#accumulate}
     */
    long accumulatorValue(long accumulator);

    /**
     * What the application gives the program.
     *
     * @param name in UTF-8
     * @param type of its values, as {@code boundary.h} writes it
     * @return the node
     */
    long input(byte[] name, byte[] type);

    /**
     * Gives the application a node.
     *
     * @param node what the application may use
     * @param name in UTF-8
     * @param type of its values, as {@code boundary.h} writes it
     */
    void output(long node, byte[] name, byte[] type);
}
