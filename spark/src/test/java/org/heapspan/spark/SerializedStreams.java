package org.heapspan.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.PartitionedRecords;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Serializers of several configurations, and what is written and read with them. */
public final class SerializedStreams {
    public static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

    /** What is behind the last group of a stream. */
    public static final int MARK_BYTES = 4;

    private SerializedStreams() {}

    /** A serializer with some keys, given as key, value, key, value, ... */
    public static HeapspanSerializer serializer(String... keysAndValues) {
        SparkConf conf = new SparkConf(false);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            conf.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        return new HeapspanSerializer(conf);
    }

    public static SerializerInstance instance(String... keysAndValues) {
        return serializer(keysAndValues).newInstance();
    }

    public static byte[] write(SerializerInstance instance, Object... records) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SerializationStream stream = instance.serializeStream(bytes);
        for (Object record : records) {
            stream.writeObject(record, ANY);
        }
        stream.close();
        return bytes.toByteArray();
    }

    /**
     * What the shuffle manager writes for a reducer.
     *
     * @param checked whether all groups need a checksum
     */
    public static byte[] shuffled(HeapspanSerializer serializer, boolean checked, Object... records)
            throws IOException {
        PartitionedRecords groups = serializer.partitionedRecords(1, checked, bytes -> true);
        for (Object record : records) {
            groups.write(0, record);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        groups.writeTo(0, bytes);
        groups.clear();
        return bytes.toByteArray();
    }

    public static List<Object> read(SerializerInstance instance, byte[] bytes) {
        return read(instance, new ByteArrayInputStream(bytes));
    }

    public static List<Object> read(SerializerInstance instance, InputStream source) {
        DeserializationStream stream = instance.deserializeStream(source);
        List<Object> records = new ArrayList<>();
        stream.asIterator().foreach(records::add);
        stream.close();
        return records;
    }
}
