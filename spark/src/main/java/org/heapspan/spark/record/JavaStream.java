package org.heapspan.spark.record;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.JavaSerializer;
import scala.collection.Iterator;

/**
 * Reads streams of Java serialization, which is Spark's serializer where none is set. Spark reads them by the serializer of its environment, and nothing but
 * their first bytes tells them apart: broadcasts where those are left to Spark, and files of DStreams, which applications without Heapspan read and
 * write too.
 */
final class JavaStream {
    /** What such a stream begins with: Java's magic number and version. As a length of a group it is negative, see {@link GroupFraming}. */
    static final int FIRST_BYTES = 0xACED_0005;

    private JavaStream() {}

    /**
     * Reads the records of a stream.
     *
     * @param source stands behind the first bytes
     */
    static Iterator<Object> records(RecordEngine engine, InputStream source) {
        SparkEnv environment = SparkEnv.get();
        JavaSerializer java = new JavaSerializer(environment == null ? new SparkConf(false) : environment.conf());
        java.setDefaultClassLoader(engine.loader());
        InputStream whole = new SequenceInputStream(new ByteArrayInputStream(GroupFraming.prefix(FIRST_BYTES)), source);
        return java.newInstance().deserializeStream(whole).asIterator();
    }
}
