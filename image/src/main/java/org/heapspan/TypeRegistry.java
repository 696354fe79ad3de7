package org.heapspan;

import java.util.UUID;
import org.heapspan.image.LocalTypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for types, shared by JVMs that exchange images, so that an image carries numbers in place of descriptions (Skyway section
 * 4.1). A type is a class of a loader scope together with its layout: two versions of a class have two numbers.
 *
 * <p>Implementations are thread-safe and never give a number to another type once it has been given out. They hold bytes, not
 * classes, and therefore keep no class loader alive.
 */
public interface TypeRegistry {
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
     * @param description the type as images describe it, which includes its name and layout; not to be changed
     * @return its number, from 0 on
     */
    int numberOf(byte[] description);

    /**
     * Finds a type by its number.
     *
     * @param number a number out of an image, which need not be a valid one
     * @return the type's description, or null if the registry has not given out the number
     */
    byte @Nullable [] descriptionOf(int number);

    /**
     * Creates a registry for this JVM: numbers are given out as types are met. Images written with it can be read in this JVM only.
     *
     * @return an empty registry
     */
    static TypeRegistry local() {
        return new LocalTypeRegistry(UUID.randomUUID());
    }

    /**
     * Creates a registry of known classes. JVMs that create it from the same classes in the same order, with the same layouts, have
     * equal registries. Classes that are met later get numbers too, but images that hold any cannot be read by other JVMs; list
     * all classes of which objects travel.
     *
     * @param mode mode of the {@link Heapspan} that uses it
     * @param classes classes of objects that travel; for arrays the array class, for proxies nothing
     * @return a registry that holds exactly these classes
     * @throws HeapspanException if a class is refused
     */
    static TypeRegistry of(Mode mode, Class<?>... classes) {
        return LocalTypeRegistry.of(mode, classes);
    }
}
