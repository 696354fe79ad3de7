package org.heapspan.flink;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a savepoint has of a {@link HeapspanSerializer}: the class of its records, and the classes that have numbers in them, with their fields.
 * So records can be read when the classes have other fields. Fields that were added are null or 0. Fields that were removed are left out. If a
 * field has another type, the state is refused, and the log says which field that is.
 *
 * @param <T> class of the records
 */
public final class HeapspanSerializerSnapshot<T> implements TypeSerializerSnapshot<T> {
    private static final Logger LOGGER = LoggerFactory.getLogger(HeapspanSerializerSnapshot.class);

    private static final int VERSION = 1;

    private @Nullable String typeName;

    /** Null if there is no such class here. */
    private @Nullable Class<T> type;

    private @Nullable NumberedTypes types;

    /** For Flink, which reads into it. */
    public HeapspanSerializerSnapshot() {}

    HeapspanSerializerSnapshot(Class<T> type, NumberedTypes types) {
        this.typeName = type.getName();
        this.type = type;
        this.types = types;
    }

    @Override
    public int getCurrentVersion() {
        return VERSION;
    }

    @Override
    public void writeSnapshot(DataOutputView target) throws IOException {
        target.writeUTF(typeName());
        types().writeTo(target);
    }

    @Override
    @SuppressWarnings("unchecked") // The state has the type parameter from whoever reads it.
    public void readSnapshot(int readVersion, DataInputView source, ClassLoader userCodeClassLoader)
            throws IOException {
        if (readVersion != VERSION) {
            throw new IOException("the snapshot of a Heapspan serializer has version " + readVersion
                    + ", this release reads version " + VERSION + "; use the release that wrote it");
        }
        typeName = source.readUTF();
        type = (Class<T>) UserLoader.find(typeName, userCodeClassLoader);
        types = NumberedTypes.readFrom(source);
    }

    /**
     * Makes a serializer that reads the records of the time of the snapshot.
     *
     * @return the serializer
     * @throws IllegalStateException if the class of the records is missing: put it on the class path, or drop the state
     */
    @Override
    public TypeSerializer<T> restoreSerializer() {
        Class<T> known = type;
        if (known == null) {
            throw new IllegalStateException("class " + typeName
                    + " of a state is not found here; keep it on the class path, or drop the state");
        }
        return HeapspanSerializer.ofState(known, types());
    }

    @Override
    public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(TypeSerializerSnapshot<T> oldSnapshot) {
        Class<T> known = type;
        if (known == null
                || !(oldSnapshot instanceof HeapspanSerializerSnapshot<T> old)
                || !typeName().equals(old.typeName)) {
            return TypeSerializerSchemaCompatibility.incompatible();
        }
        if (types().beginWith(old.types())) {
            return TypeSerializerSchemaCompatibility.compatibleAsIs();
        }
        String refusal = new RecordEngine(old.types(), UserLoader.of(known)).refusal();
        if (refusal != null) {
            LOGGER.error("State of class {} cannot be read: {}", typeName, refusal);
            return TypeSerializerSchemaCompatibility.incompatible();
        }
        return TypeSerializerSchemaCompatibility.compatibleAfterMigration();
    }

    private String typeName() {
        return read(typeName);
    }

    private NumberedTypes types() {
        return read(types);
    }

    private static <V> V read(@Nullable V value) {
        if (value == null) {
            throw new IllegalStateException("this snapshot has not been read yet");
        }
        return value;
    }
}
