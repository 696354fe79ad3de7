package org.heapspan.flink;

import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.heapspan.FixedTypeRegistry;
import org.heapspan.HeapspanException;
import org.heapspan.LoaderScopes;
import org.heapspan.Mode;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The classes that have numbers in records: a list of descriptions, each of which has the name of a class and its fields. The list is made where
 * the job is made, travels with the serializer, and is part of its snapshot. So all that read a record know the numbers of its writer, and the
 * fields that its classes had then. Immutable.
 */
final class NumberedTypes implements Serializable {
    /** That of all of them: records do not contain it, and it must not change when types are added. */
    static final UUID REGISTRY_ID = new UUID(0x4865617073706146L, 0x6C696E6B00000001L);

    private static final long serialVersionUID = 1L;

    /** A snapshot that claims more is damaged. */
    private static final int MOST_DESCRIPTION_BYTES = 0xFFFF + Short.BYTES;

    /** Where a description has the kind of its class ({@code docs/formats/image.md}). */
    private static final int KIND_OFFSET = Short.BYTES;

    /** The kind of classes whose objects are written field by field. */
    private static final byte KIND_FIELDS = 0;

    private final byte[][] descriptions;

    private NumberedTypes(byte[][] descriptions) {
        this.descriptions = descriptions;
    }

    /**
     * Numbers the classes of records.
     *
     * @param type the declared class of the records
     * @param further classes that its declarations do not name, such as subclasses and type arguments
     * @param registered classes of the program's configuration; those count of which an object can be in a record
     */
    static NumberedTypes of(Class<?> type, Collection<Class<?>> further, Collection<Class<?>> registered) {
        DeclaredTypes declared = new DeclaredTypes();
        declared.add(type);
        further.forEach(declared::add);
        for (Class<?> each : registered) {
            if (declared.mayHold(each)) {
                declared.add(each);
            }
        }
        List<byte[]> descriptions = new ArrayList<>();
        for (Class<?> each : declared.instantiable()) {
            TypeRegistry.Type described = describe(each);
            if (described != null) {
                descriptions.add(described.description());
            }
        }
        return new NumberedTypes(descriptions.toArray(byte[][]::new));
    }

    private static TypeRegistry.@Nullable Type describe(Class<?> type) {
        try {
            return TypeRegistry.of(Mode.SERIAL, type).typeOf(0);
        } catch (HeapspanException | LinkageError e) {
            // A refused class, or one that cannot be used here. The error comes with the first object of it, and says
            // where that is.
            return null;
        }
    }

    /** Whether objects of a class are written field by field, and methods of the class have no part in it. */
    static boolean hasFieldsOnly(Class<?> type) {
        TypeRegistry.Type described = Modifier.isAbstract(type.getModifiers()) ? null : describe(type);
        return described != null && described.description()[KIND_OFFSET] == KIND_FIELDS;
    }

    /** A registry that has these types and never gets another one. */
    FixedTypeRegistry registry() {
        return new FixedTypeRegistry(
                REGISTRY_ID,
                Arrays.stream(descriptions)
                        .map(each -> new TypeRegistry.Type(LoaderScopes.UNNAMED, each))
                        .toList());
    }

    /** Whether this has the types of another list under the same numbers. */
    boolean beginWith(NumberedTypes other) {
        return other.descriptions.length <= descriptions.length
                && Arrays.deepEquals(Arrays.copyOf(descriptions, other.descriptions.length), other.descriptions);
    }

    /** A hash of the list, the same in all JVMs. */
    int fingerprint() {
        return fingerprint(descriptions.length);
    }

    private int fingerprint(int typeCount) {
        int hash = 1;
        for (int number = 0; number < typeCount; number++) {
            hash = 31 * hash + Arrays.hashCode(descriptions[number]);
        }
        return hash;
    }

    /** Whether this has the types of a list with a certain fingerprint under the same numbers. */
    boolean beginWith(int fingerprint) {
        int typeCount = descriptions.length;
        while (typeCount >= 0 && fingerprint(typeCount) != fingerprint) {
            typeCount--;
        }
        return typeCount >= 0;
    }

    void writeTo(DataOutputView target) throws IOException {
        target.writeInt(descriptions.length);
        for (byte[] description : descriptions) {
            target.writeInt(description.length);
            target.write(description);
        }
    }

    /** Reads what {@link #writeTo} has written. */
    static NumberedTypes readFrom(DataInputView source) throws IOException {
        int count = checked(source.readInt(), TypeRegistry.MOST_TYPES, "types");
        List<byte[]> descriptions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] description =
                    new byte[checked(source.readInt(), MOST_DESCRIPTION_BYTES, "bytes in the description of a type")];
            source.readFully(description);
            descriptions.add(description);
        }
        return new NumberedTypes(descriptions.toArray(byte[][]::new));
    }

    private static int checked(int number, int most, String what) throws IOException {
        if (number < 0 || number > most) {
            throw new IOException("the snapshot of a Heapspan serializer has " + number + " " + what
                    + ", expected 0 to " + most + ": it is damaged");
        }
        return number;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NumberedTypes types && Arrays.deepEquals(descriptions, types.descriptions);
    }

    @Override
    public int hashCode() {
        return fingerprint();
    }
}
