package org.heapspan;

import java.util.List;
import java.util.UUID;
import org.heapspan.image.engine.KnownType;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for types, shared by JVMs that exchange images. An image then has numbers instead of descriptions (Skyway section 4.1). A type is a
 * class of a loader scope together with its layout. Two versions of a class have two numbers. So have two classes of equal name and layout whose
 * loaders have different names ({@link LoaderScopes}).
 *
 * <p>Implementations are thread-safe. A number is never assigned to a second type. Implementations store names and bytes, and do not refer to
 * classes, so they do not keep class loaders alive.
 */
public interface TypeRegistry {
    /** The most types that a registry can have. Numbers are below this one. */
    int MOST_TYPES = (1 << 21) - 1;

    /** The result of {@link #numberOf} for a type without a number, or if the number is not available now. */
    int NO_NUMBER = -1;

    /**
     * A type.
     *
     * @param loaderScope name of the scope of the class's loader; empty for the unnamed scope
     * @param description name and layout of the class, in the form in which images describe it; not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // Equality is the registry's business; it compares the contents.
    record Type(String loaderScope, byte[] description) {}

    /**
     * Returns the identity of the registry. Images contain it. A reader with another registry refuses them.
     *
     * @return the identity, the same for all views of one registry
     */
    UUID id();

    /**
     * Returns the number of a type, and assigns one if it has none.
     *
     * @param loaderScope name of the scope of the class's loader; empty for the unnamed scope
     * @param description name and layout of the class, in the form in which images describe it; not to be changed
     * @return the number, from 0 on; or {@link #NO_NUMBER}. The image then describes the type
     * @throws HeapspanException if the registry is full
     */
    int numberOf(String loaderScope, byte[] description);

    /**
     * Returns the numbers of several types, as {@link #numberOf}. A writer calls it for all new types of an image at once, so a registry in
     * another process needs one round trip.
     *
     * @param types not to be changed
     * @return for each what {@link #numberOf} returns
     * @throws HeapspanException if the registry is full
     */
    default int[] numbersOf(List<Type> types) {
        int[] numbers = new int[types.size()];
        for (int i = 0; i < numbers.length; i++) {
            Type type = types.get(i);
            numbers[i] = numberOf(type.loaderScope(), type.description());
        }
        return numbers;
    }

    /**
     * Finds a type by its number.
     *
     * @param number a number out of an image, which need not be a valid one
     * @return the type, or null if the registry has not assigned the number
     * @throws HeapspanException if the registry cannot answer now
     */
    @Nullable
    Type typeOf(int number);

    /**
     * Finds several types by their numbers. A reader calls it for all types of a frame at once.
     *
     * @param numbers out of an image; they need not be valid
     * @return for each what {@link #typeOf} returns
     * @throws HeapspanException if the registry cannot answer now
     */
    default @Nullable Type[] typesOf(int[] numbers) {
        @Nullable Type[] types = new Type[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            types[i] = typeOf(numbers[i]);
        }
        return types;
    }

    /**
     * Creates a registry for this JVM. It assigns a number when a type is first written. Only instances that have this very registry can read
     * images that are written with it.
     *
     * @return an empty registry
     */
    static TypeRegistry local() {
        return new LocalTypeRegistry(UUID.randomUUID());
    }

    /**
     * Creates a registry of known classes, all of the unnamed loader scope. JVMs that create it from the same classes in the same order, with
     * the same layouts, have equal registries. Other classes have no numbers: each image describes those that it contains.
     *
     * @param mode mode of the {@link Heapspan} that uses it
     * @param classes classes of the objects that are written; for arrays the array class; proxies need not be listed
     * @return a registry that holds exactly these classes
     * @throws HeapspanException if a class is refused
     */
    static TypeRegistry of(Mode mode, Class<?>... classes) {
        return of(mode, new LoaderScopes(), classes);
    }

    /**
     * Creates a registry of known classes, some of which belong to named loaders. The names are part of the registry: JVMs have
     * equal registries if they give the same names to the loaders of the classes.
     *
     * @param mode mode of the {@link Heapspan} that uses it
     * @param scopes names of loaders; the {@link Heapspan} that uses the registry must be given them too
     * @param classes classes of the objects that are written; for arrays the array class; proxies need not be listed
     * @return a registry that holds exactly these classes
     * @throws HeapspanException if a class is refused
     */
    static TypeRegistry of(Mode mode, LoaderScopes scopes, Class<?>... classes) {
        return FixedTypeRegistry.of(KnownType.of(mode, scopes, classes));
    }
}
