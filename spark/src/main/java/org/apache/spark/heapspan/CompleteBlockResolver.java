package org.apache.spark.heapspan;

import java.io.IOException;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.collection.OpenHashSet;
import scala.Option;

/**
 * Finds blocks of shuffles as Spark does, and refuses those of files that were cut off. Spark 4.3 reads a block of its own host that lies behind the
 * end of such a file as if it were empty, without its records. What fails here Spark has written anew.
 *
 * <p>Relies on {@code core/.../shuffle/IndexShuffleBlockResolver.scala} and on
 * {@code common/network-common/.../buffer/FileSegmentManagedBuffer.java} of Spark 4.3.
 */
final class CompleteBlockResolver extends IndexShuffleBlockResolver {
    /** For the shuffle manager in whose place it finds the blocks, with its map tasks. */
    @SuppressWarnings("NullAway") // No block manager: that of the environment, which is there later.
    CompleteBlockResolver(SparkConf conf, ConcurrentMap<Object, OpenHashSet<Object>> mapTasks) {
        super(conf, null, mapTasks);
    }

    @Override
    public ManagedBuffer getBlockData(BlockId block, Option<String[]> folders) {
        ManagedBuffer data = super.getBlockData(block, folders);
        if (data instanceof FileSegmentManagedBuffer segment) {
            long fileBytes = segment.getFile().length();
            long end = segment.getOffset() + segment.getLength();
            if (fileBytes < end) {
                throw CompleteBlockResolver.<RuntimeException>thrown(
                        new IOException("shuffle file " + segment.getFile() + " has " + fileBytes + " bytes, and block "
                                + block + " ends at " + end + " according to its index: the file was truncated"));
            }
        }
        return data;
    }

    /** Scala's methods declare no exceptions, and Spark expects this one of them. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException thrown(Exception exception) throws E {
        throw (E) exception;
    }
}
