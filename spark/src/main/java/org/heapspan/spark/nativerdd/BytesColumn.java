package org.heapspan.spark.nativerdd;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Strings, or arrays of bytes. */
final class BytesColumn implements ValueColumn {
    private final boolean strings;
    private final Offsets offsets = new Offsets();
    private final GrowingBytes contents = new GrowingBytes();

    BytesColumn(boolean strings) {
        this.strings = strings;
    }

    @Override
    public void add(@Nullable Object value) {
        if (strings && value instanceof String string) {
            append(string.getBytes(StandardCharsets.UTF_8));
        } else if (!strings && value instanceof byte[] bytes) {
            append(bytes);
        } else {
            throw ValueColumn.misfit(value, strings ? "string" : "byte[] for [int8]");
        }
    }

    void append(byte[] bytes) {
        contents.room(bytes.length).put(bytes);
        offsets.addEnd(contents.size());
    }

    void append(UTF8String string) {
        string.writeTo(contents.room(string.numBytes()));
        offsets.addEnd(contents.size());
    }

    @Override
    public void addNothing() {
        offsets.addEnd(contents.size());
    }

    @Override
    public int rows() {
        return offsets.rows();
    }

    @Override
    public long sizeBytes() {
        return offsets.sizeBytes() + contents.size();
    }

    @Override
    public void clear() {
        offsets.clear();
        contents.clear();
    }

    @Override
    public void write(BatchParts.Writer target) {
        offsets.write(target);
        target.add(contents);
    }

    @Override
    public void read(BatchParts.Reader source, int count) {
        int size = offsets.read(source, count);
        contents.show(source.take(size));
    }

    byte[] array(int row) {
        int begin = offsets.begin(row);
        byte[] bytes = new byte[offsets.end(row) - begin];
        contents.bytes().get(begin, bytes);
        return bytes;
    }

    /** A view of a string that was read. */
    UTF8String string(int row) {
        int begin = offsets.begin(row);
        ByteBuffer bytes = contents.bytes();
        return UTF8String.fromBytes(bytes.array(), bytes.arrayOffset() + begin, offsets.end(row) - begin);
    }

    @Override
    public Object get(int row) {
        return strings ? new String(array(row), StandardCharsets.UTF_8) : array(row);
    }
}
