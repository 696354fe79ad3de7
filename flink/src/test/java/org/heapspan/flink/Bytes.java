package org.heapspan.flink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Records in memory. */
final class Bytes {
    private Bytes() {}

    static <T> TypeSerializer<T> serializer(Class<T> type, Class<?>... further) {
        return HeapspanTypeInformation.of(type, further).createSerializer(new SerializerConfigImpl());
    }

    @SafeVarargs
    static <T> byte[] of(TypeSerializer<T> serializer, T... records) throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        for (T record : records) {
            serializer.serialize(record, target);
        }
        return target.getCopyOfBuffer();
    }

    static <T> T read(TypeSerializer<T> serializer, byte[] bytes) throws IOException {
        List<T> records = readAll(serializer, bytes);
        if (records.size() != 1) {
            throw new IllegalStateException(records.size() + " records, expected one");
        }
        return records.get(0);
    }

    static <T> List<T> readAll(TypeSerializer<T> serializer, byte[] bytes) throws IOException {
        DataInputDeserializer source = new DataInputDeserializer(bytes);
        List<T> records = new ArrayList<>();
        while (source.available() > 0) {
            records.add(serializer.deserialize(source));
        }
        return records;
    }

    /** Writes a record and reads it. */
    static <T> T passed(TypeSerializer<T> serializer, T record) throws IOException {
        return read(serializer, of(serializer, record));
    }

    static boolean contain(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
    }

    static byte[] changed(byte[] bytes, int index, int value) {
        byte[] changed = Arrays.copyOf(bytes, bytes.length);
        changed[index] = (byte) value;
        return changed;
    }
}
