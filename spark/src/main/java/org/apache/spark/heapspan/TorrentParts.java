package org.apache.spark.heapspan;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.TorrentBroadcast;
import org.apache.spark.storage.BlockData;

/**
 * What a {@link TorrentBroadcast} does not let others see: its blocks.
 *
 * <p>Relies on {@code core/.../broadcast/TorrentBroadcast.scala} of Spark 4.3: field {@code numBlocks}, methods {@code setConf} and {@code
 * readBlocks}, which fetches the blocks that this JVM does not have, compares their checksums and keeps them for others to fetch.
 */
final class TorrentParts {
    private final Field blocks;
    private final Method setConf;
    private final Method readBlocks;

    private TorrentParts(Field blocks, Method setConf, Method readBlocks) {
        this.blocks = blocks;
        this.setConf = setConf;
        this.readBlocks = readBlocks;
    }

    /**
     * Finds the parts.
     *
     * @throws ReflectiveOperationException if this version of Spark has others, or this JVM does not let them be reached
     */
    static TorrentParts find() throws ReflectiveOperationException {
        Field blocks = WritableField.of(TorrentBroadcast.class, "numBlocks", int.class);
        Method setConf = method("setConf", void.class, SparkConf.class);
        Method readBlocks = method("readBlocks", BlockData[].class);
        return new TorrentParts(blocks, setConf, readBlocks);
    }

    private static Method method(String name, Class<?> result, Class<?>... parameters)
            throws ReflectiveOperationException {
        Method method = TorrentBroadcast.class.getDeclaredMethod(name, parameters);
        if (method.getReturnType() != result) {
            throw new NoSuchMethodException("TorrentBroadcast." + name + " returns a "
                    + method.getReturnType().getName() + ", expected a " + result.getName());
        }
        try {
            method.setAccessible(true);
        } catch (RuntimeException e) { // InaccessibleObjectException, and whatever a security manager throws
            throw new IllegalAccessException("TorrentBroadcast." + name + " cannot be reached: " + e.getMessage());
        }
        return method;
    }

    /** How many blocks a broadcast has, each of at most {@code spark.broadcast.blockSize}. */
    int count(TorrentBroadcast<?> broadcast) throws IllegalAccessException {
        return blocks.getInt(broadcast);
    }

    /** The blocks, which this JVM has then. */
    BlockData[] read(TorrentBroadcast<?> broadcast, SparkConf conf) throws IOException, IllegalAccessException {
        try {
            setConf.invoke(broadcast, conf);
            return (BlockData[]) readBlocks.invoke(broadcast);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw new IOException("the blocks of broadcast " + broadcast.id() + " cannot be read: " + cause, cause);
        }
    }
}
