package org.heapspan;

import java.util.List;
import java.util.UUID;
import org.heapspan.image.engine.KnownType;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for types, shared by JVMs that exchange images. An image then carries numbers in place of descriptions (Skyway section 4.1). A type is a class
 * of a loader scope together with its layout. Two versions of a class have two numbers. So have two classes of equal name and layout whose loaders have
 * different names ({@link LoaderScopes}).
 *
 * <p>Implementations are thread-safe. A number that has been given out never goes to another type. Implementations hold names and bytes, not classes, so
 * they keep no class loader alive.
 */
public interface TypeRegistry {
    /** How many types a registry can hold: numbers are below this one. */
    int MOST_TYPES = (1 << 21) - 1;

    /** What {@link #numberOf} returns for a type that has no number, or none that can be found out now. */
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
     * Identity of the registry. Images name it; a reader with another registry refuses them instead of taking numbers for what
     * they are not.
     *
     * @return the identity, the same for all views of one registry
     */
    UUID id();

    /**
     * Gives a type its number.
     *
     * @param loaderScope name of the scope of the class's loader; empty for the unnamed scope
     * @param description name and layout of the class, in the form in which images describe it; not to be changed
     * @return its number, from 0 on; or {@link #NO_NUMBER}, and images describe the type until it has one
     * @throws HeapspanException if the registry is full
     */
    int numberOf(String loaderScope, byte[] description);

    /**
     * Gives several types their numbers: all those of an image that its writer meets for the first time. A registry in another process
     * answers in one round trip.
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
     * @return the type, or null if the registry has not given out the number
     * @throws HeapspanException if that cannot be found out now
     */
    @Nullable
    Type typeOf(int number);

    /**
     * Finds several types by their numbers: all those of a frame that its reader has not met in a row before.
     *
     * @param numbers out of an image; they need not be valid
     * @return for each what {@link #typeOf} returns
     * @throws HeapspanException if that cannot be found out now
     */
    default @Nullable Type[] typesOf(int[] numbers) {
        @Nullable Type[] types = new Type[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            types[i] = typeOf(numbers[i]);
        }
        return types;
    }

    /**
     * Creates a registry for this JVM: numbers are given out as types are met. Images written with it can be read in this JVM only.
     *
     * @return an empty registry
     */
    static TypeRegistry local() {
        return new LocalTypeRegistry(UUID.randomUUID());
    }

    /**
     * Creates a registry of known classes, all of the unnamed loader scope. JVMs that create it from the same classes in the same
     * order, with the same layouts, have equal registries. Classes that are met later get numbers too, but images that hold any
     * cannot be read by other JVMs; list all classes of which objects travel.
     *
     * @param mode mode of the {@link Heapspan} that uses it
     * @param classes classes of objects that travel; for arrays the array class, for proxies nothing
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
     * @param classes classes of objects that travel; for arrays the array class, for proxies nothing
     * @return a registry that holds exactly these classes
     * @throws HeapspanException if a class is refused
     */
    static TypeRegistry of(Mode mode, LoaderScopes scopes, Class<?>... classes) {
        return LocalTypeRegistry.of(KnownType.of(mode, scopes, classes));
    }
}
