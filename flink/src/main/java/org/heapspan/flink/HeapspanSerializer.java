package org.heapspan.flink;

import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Flink's serializer of a type whose records are object images. Records can be null, of subclasses, and graphs of any depth, with shared objects
 * and cycles. A record has numbers for classes that are known when the job is made ({@link HeapspanTypeInformation}), and names for others.
 *
 * <p>As Flink expects, an instance is for one thread. {@link #duplicate} makes one for another thread.
 *
 * @param <T> class of the records
 */
public final class HeapspanSerializer<T> extends TypeSerializer<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final NumberedTypes types;
    private final boolean immutable;

    /** See {@link ClassFacts#isTree}. */
    private final boolean tree;

    /** Whether it reads state of another time. */
    private final transient boolean restored;

    // Made at first use: the JVM that makes a job need not write records.
    private transient @Nullable RecordEngine engine;
    private transient @Nullable RecordWriter writer;
    private transient @Nullable RecordReader reader;

    HeapspanSerializer(Class<T> type, NumberedTypes types) {
        this(type, types, false);
    }

    private HeapspanSerializer(Class<T> type, NumberedTypes types, boolean restored) {
        this(type, types, ClassFacts.isImmutable(type), ClassFacts.isTree(type), restored, null);
    }

    private HeapspanSerializer(
            Class<T> type,
            NumberedTypes types,
            boolean immutable,
            boolean tree,
            boolean restored,
            @Nullable RecordEngine engine) {
        this.type = type;
        this.types = types;
        this.immutable = immutable;
        this.tree = tree;
        this.restored = restored;
        this.engine = engine;
    }

    /** A serializer for records of the time of a snapshot. */
    static <T> HeapspanSerializer<T> ofState(Class<T> type, NumberedTypes types) {
        return new HeapspanSerializer<>(type, types, true);
    }

    private RecordEngine engine() {
        RecordEngine known = engine;
        if (known == null) {
            known = new RecordEngine(types, UserLoader.of(type));
            engine = known;
        }
        return known;
    }

    @Override
    public boolean isImmutableType() {
        return immutable;
    }

    @Override
    public TypeSerializer<T> duplicate() {
        RecordEngine own = engine();
        // A serializer in a static field outlives the job whose class loader it has.
        RecordEngine current = own.in(UserLoader.ofDuplicate(type, own.loader()));
        return new HeapspanSerializer<>(type, types, immutable, tree, restored, current);
    }

    /**
     * Returns null. Records are never read into an existing object, so nothing is gained by making one before.
     *
     * @return null
     */
    @Override
    public @Nullable T createInstance() {
        return null;
    }

    /**
     * Copies a record and all it refers to.
     *
     * @param from the record, or null
     * @return a copy; the record itself if its class allows no change
     */
    @Override
    public T copy(T from) {
        return immutable ? from : engine().copy(from);
    }

    @Override
    public T copy(T from, T reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(@Nullable T record, DataOutputView target) throws IOException {
        RecordWriter known = writer;
        if (known == null) {
            known = new RecordWriter(engine(), tree ? type : null);
            writer = known;
        }
        known.write(record, target);
    }

    @Override
    @SuppressWarnings("unchecked") // The class has been compared.
    public @Nullable T deserialize(DataInputView source) throws IOException {
        Object record = reader().read(source);
        if (record != null && !type.isInstance(record)) {
            throw new IOException("a record is a " + record.getClass().getName() + ", expected a " + type.getName()
                    + ": the bytes were written by the serializer of another type");
        }
        return (T) record;
    }

    private RecordReader reader() {
        RecordReader known = reader;
        if (known == null) {
            known = new RecordReader(engine());
            reader = known;
        }
        return known;
    }

    /** Reads a record into a new object, whatever there is to reuse. */
    @Override
    public @Nullable T deserialize(T reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        reader().copy(source, target);
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        return new HeapspanSerializerSnapshot<>(type, types);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapspanSerializer<?> serializer
                && type == serializer.type
                && types.equals(serializer.types);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, types);
    }

    /**
     * Names the class of the records. A serializer of state that cannot be read here also says why: Flink's error for such state consists of two
     * serializers.
     */
    @Override
    public String toString() {
        String refusal = restored ? engine().refusal() : null;
        return "HeapspanSerializer<" + type.getName() + ">"
                + (refusal == null ? "" : ", whose records cannot be read: " + refusal);
    }
}
