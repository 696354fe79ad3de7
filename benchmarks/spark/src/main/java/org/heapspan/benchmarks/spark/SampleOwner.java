package org.heapspan.benchmarks.spark;

import java.util.List;

/**
 * To whom a sample of a task's stack belongs: the first in it, seen from the running method outwards, of whom anything is known. The JDK and
 * Scala's library belong to their callers.
 *
 * <p>Compression and encryption are never a serializer's, whoever calls them. A serializer writes into a stream that compresses a block
 * whenever it is full, or flushes and closes that stream, or leaves that to Spark: who does what differs between serializers and between
 * Spark's shuffle writers, and says nothing of a serializer.
 */
final class SampleOwner {
    private static final String SPARKS_SERIALIZERS = "org.apache.spark.serializer.";

    /** Streams and libraries of Spark's codecs and of its encryption. */
    private static final List<String> COMPRESSION_AND_ENCRYPTION = List.of(
            "net.jpountz.",
            "com.github.luben.zstd.",
            "org.xerial.snappy.",
            "com.ning.compress.",
            "org.apache.spark.io.",
            "org.apache.spark.security.",
            "org.apache.commons.crypto.",
            "javax.crypto.",
            "com.sun.crypto.");

    private static final List<String> SERIALIZERS = List.of(
            SPARKS_SERIALIZERS,
            "com.esotericsoftware.",
            "com.twitter.chill.",
            "org.apache.fory.",
            "org.heapspan.",
            "java.io.ObjectOutputStream",
            "java.io.ObjectInputStream",
            "java.io.ObjectStreamClass");

    /** Neither are the classes of jobs a serializer, nor is what a shuffle writer does besides, be it Spark's or ours. */
    private static final List<String> OTHERS = List.of("org.apache.spark.", "org.heapspan.workloads.");

    /** Whose native methods never wait: our carving, and compression. */
    private static final List<String> COMPUTING =
            List.of("org.heapspan.vm.", "net.jpountz.", "com.github.luben.zstd.", "org.xerial.snappy.");

    private SampleOwner() {}

    /**
     * Whether a sample belongs to a serializer.
     *
     * @param classes of the methods of the stack, the running one first
     */
    static boolean isSerializer(Iterable<String> classes) {
        for (String name : classes) {
            if (begins(name, COMPRESSION_AND_ENCRYPTION)) {
                return false;
            }
            // Fory generates its codecs into the packages of their classes.
            if (name.contains("ForyCodec") || name.contains("ForyRefCodec")) {
                return true;
            }
            if (begins(name, OTHERS) && !name.startsWith(SPARKS_SERIALIZERS)) {
                return false;
            }
            if (begins(name, SERIALIZERS)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a native method of this class works as long as it runs. Others wait, as for the next message. */
    static boolean computesNatively(String name) {
        return begins(name, COMPUTING);
    }

    private static boolean begins(String name, List<String> prefixes) {
        return prefixes.stream().anyMatch(name::startsWith);
    }
}
