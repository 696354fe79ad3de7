package org.heapspan.spark.record;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectStreamConstants;
import java.io.PushbackInputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.JavaSerializer;

/**
 * Reads streams where broadcasts are left to Java serialization: Spark reads them by the serializer that reads everything else, and nothing but
 * their first bytes tells them apart. As a length of a group those are negative, see {@link GroupFraming}.
 */
final class BroadcastInput {
    private static final int MAGIC_BYTES = 2;

    private BroadcastInput() {}

    static DeserializationStream orGroups(RecordEngine engine, InputStream source) {
        PushbackInputStream whole = new PushbackInputStream(source, MAGIC_BYTES);
        if (!isJava(whole)) {
            return new GroupInput(engine, whole);
        }
        SparkEnv environment = SparkEnv.get();
        SparkConf conf = environment == null ? new SparkConf(false) : environment.conf();
        JavaSerializer java = new JavaSerializer(conf);
        java.setDefaultClassLoader(engine.loader());
        return java.newInstance().deserializeStream(whole);
    }

    /** Whether Java's magic number is next, which stays there. */
    private static boolean isJava(PushbackInputStream source) {
        byte[] first = new byte[MAGIC_BYTES];
        try {
            int count = source.readNBytes(first, 0, MAGIC_BYTES);
            source.unread(first, 0, count);
            return count == MAGIC_BYTES
                    && (short) (first[0] << 8 | first[1] & 0xFF) == ObjectStreamConstants.STREAM_MAGIC;
        } catch (EOFException e) {
            // A stream below misses bytes; see GroupFraming.
            throw GroupFraming.cutOff(0, "before its length or within it", e);
        } catch (IOException e) {
            throw Checked.thrown(e);
        }
    }
}
