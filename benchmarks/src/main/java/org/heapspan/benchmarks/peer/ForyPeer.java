package org.heapspan.benchmarks.peer;

import java.nio.ByteBuffer;
import org.apache.fory.Fory;
import org.apache.fory.config.ForyBuilder;
import org.apache.fory.memory.MemoryBuffer;
import org.heapspan.benchmarks.data.DataSet;

/**
 * Apache Fory in its fastest mode: Java only, same classes on both sides (no schema evolution), every class registered unless said otherwise, code
 * generated on first use and not in the background, limits out of the way. A chunk is one {@code Object[]}, or record by record
 * in one buffer; which of them is faster depends on the data.
 *
 * <p>With references Fory keeps identity within a chunk or record, but not that of strings, boxes and times, which is its default. The
 * variant with strings keeps theirs, too. Without references each reference to an object becomes a copy of its own and a
 * cycle ends in an error. It recurses: chains of more than a few thousand objects overflow the stack either way.
 */
final class ForyPeer implements Peer {
    private static final int BUFFER_BYTES = 1 << 16;

    /** More than any data set has that does not overflow the stack; Fory allocates tables of this length. */
    private static final int MAX_DEPTH = 1 << 13;

    /** Whose identity is kept. */
    enum References {
        OFF,
        ON,
        ON_WITH_STRINGS
    }

    /** How int and long fields are written. */
    enum Numbers {
        /** Fory's default: small numbers take fewer bytes. */
        COMPRESSED,
        /** Fields are copied as they are: larger, but several times faster where there are many numbers. */
        FIXED_WIDTH
    }

    /** How far a reference can reach. */
    enum Scope {
        /** The chunk is one array: identity is kept across its records. */
        CHUNK,
        /** One call per record into one buffer: identity is kept within a record, and tables of references stay small. */
        RECORD
    }

    private final String name;
    private final Scope scope;
    private final Fory fory;
    private final MemoryBuffer buffer = MemoryBuffer.newHeapBuffer(BUFFER_BYTES);

    /** Fory with all classes of the data set registered. */
    ForyPeer(String name, DataSet set, References references, Numbers numbers, Scope scope) {
        this(name, references, numbers, scope, true);
        for (Class<?> type : set.classes()) {
            // Fory has the classes of the JDK registered from the start.
            if (!type.getName().startsWith("java.") && !type.isArray()) {
                fory.register(type);
            }
        }
    }

    /** Fory without registration: as Heapspan, it takes any class and names classes in what it writes. */
    static ForyPeer unregistered(String name) {
        return new ForyPeer(name, References.ON, Numbers.COMPRESSED, Scope.CHUNK, false);
    }

    private ForyPeer(String name, References references, Numbers numbers, Scope scope, boolean registration) {
        this.name = name;
        this.scope = scope;
        ForyBuilder builder = Fory.builder()
                .withXlang(false)
                .withCompatible(false)
                .requireClassRegistration(registration)
                .suppressClassRegistrationWarnings(true)
                .withCodegen(true)
                .withAsyncCompilation(false)
                .withMaxDepth(MAX_DEPTH)
                .withMaxGraphMemoryBytes(Long.MAX_VALUE)
                .withNumberCompressed(numbers == Numbers.COMPRESSED)
                .withRefTracking(references != References.OFF)
                .ignoreStringRef(references != References.ON_WITH_STRINGS);
        fory = builder.build();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int encodeChunk(Object[] records) {
        if (scope == Scope.CHUNK) {
            return encodeOne(records);
        }
        buffer.writerIndex(0);
        buffer.writeInt32(records.length);
        for (Object record : records) {
            fory.serialize(buffer, record);
        }
        return buffer.writerIndex();
    }

    @Override
    public Object[] decodeChunk(byte[] encoded) {
        if (scope == Scope.CHUNK) {
            return (Object[]) decodeOne(encoded);
        }
        MemoryBuffer input = MemoryBuffer.fromByteArray(encoded);
        Object[] records = new Object[input.readInt32()];
        for (int i = 0; i < records.length; i++) {
            records[i] = fory.deserialize(input);
        }
        return records;
    }

    @Override
    public int encodeOne(Object record) {
        buffer.writerIndex(0);
        fory.serialize(buffer, record);
        return buffer.writerIndex();
    }

    @Override
    public Object decodeOne(byte[] encoded) {
        return fory.deserialize(encoded);
    }

    @Override
    public byte[] encoded() {
        return buffer.getBytes(0, buffer.writerIndex());
    }

    @Override
    public ByteBuffer encodedInPlace() {
        return ByteBuffer.wrap(buffer.getHeapMemory(), 0, buffer.writerIndex());
    }
}
