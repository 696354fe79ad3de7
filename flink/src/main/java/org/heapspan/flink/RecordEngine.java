package org.heapspan.flink;

import java.nio.ByteBuffer;
import org.heapspan.BodyReader;
import org.heapspan.BodyWriter;
import org.heapspan.FixedTypeRegistry;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes records for all serializers of a type in a class loader that have the same numbers for classes. Thread-safe. */
final class RecordEngine {
    /** A buffer of this size is kept for the next record, a larger one is not. */
    static final int MOST_KEPT_BYTES = 1 << 20;

    private final NumberedTypes types;
    private final ClassLoader loader;
    private final Heapspan heapspan;
    private final int typeCount;

    /**
     * Creates an engine.
     *
     * @param types the classes that have numbers
     * @param loader where classes are found
     */
    RecordEngine(NumberedTypes types, ClassLoader loader) {
        this.types = types;
        this.loader = loader;
        // Flink's transports and files are trusted as its Kryo trusts them. They have checksums of their own where they
        // need some.
        FixedTypeRegistry registry = types.registry();
        heapspan = Heapspan.builder()
                .checksum(false)
                .typeRegistry(registry)
                .classLoader(loader)
                .build();
        typeCount = registry.size();
    }

    ClassLoader loader() {
        return loader;
    }

    /** The same for another loader. */
    RecordEngine in(ClassLoader other) {
        return other == loader ? this : new RecordEngine(types, other);
    }

    BodyWriter newWriter() {
        return heapspan.bodyWriter(typeCount);
    }

    BodyReader newReader() {
        return heapspan.trustedBodyReader(typeCount);
    }

    @Nullable
    Object decode(ByteBuffer image) {
        return heapspan.decodeTrustedFrom(image, Object.class);
    }

    <T extends @Nullable Object> T copy(T original) {
        return heapspan.copy(original);
    }

    /**
     * Tries whether objects of all types can be read here, with the code that reads them. A class that is not here is no reason to refuse: there may be
     * no object of it, or only in fields that are not here either.
     *
     * @return what is wrong with one, or null
     */
    @Nullable
    String refusal() {
        BodyReader reader = newReader();
        for (int number = 0; number < Math.min(typeCount, RecordForm.MOST_TAGS); number++) {
            byte[] body = RecordForm.tag(number);
            try {
                reader.read(body, 0, body.length, true);
            } catch (HeapspanException e) {
                // An object of which no byte has come is malformed. By then its class has been found, and compared.
                if (e.category() != Category.MALFORMED && e.category() != Category.CLASS_NOT_FOUND) {
                    return e.getMessage();
                }
            }
        }
        return null;
    }
}
