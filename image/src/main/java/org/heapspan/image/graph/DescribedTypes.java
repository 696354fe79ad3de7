package org.heapspan.image.graph;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.heapspan.image.type.MissingObject;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * The types that a frame describes. When the first object of a type is read, its class is loaded and its codec is created. For a type
 * without objects nothing is loaded or created.
 *
 * <p>The readers of an engine share instances. They refer to an instance, and through it to classes, only while they read.
 */
final class DescribedTypes {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Codec[].class);

    /** What described them. */
    final byte[] bytes;

    /** Of the bytes. */
    final int checksum;

    /** Where the classes are found. */
    final @Nullable ClassLoader loader;

    /** Of the names of loaders, when the types were described. */
    final int generation;

    /** By number; null where there has been no object yet, or where the class was missing. */
    final @Nullable Codec[] codecs;

    private final Type[] types;

    /** A description, and the name of the loader that has the class. */
    record Type(String loaderScope, TypeDescription written) {}

    DescribedTypes(byte[] bytes, int checksum, List<Type> types, @Nullable ClassLoader loader, int generation) {
        this.bytes = bytes;
        this.checksum = checksum;
        this.types = types.toArray(Type[]::new);
        this.loader = loader;
        this.generation = generation;
        codecs = new Codec[this.types.length];
    }

    /** What reads objects of a type, of which there is one. */
    Codec codec(int number, TypeResolver resolver, FrameReader reader) {
        Codec known = codecs[number];
        if (known != null) {
            return known;
        }
        Codec found = resolver.resolve(types[number], loader, reader);
        if (found.type != MissingObject.class) {
            // Else the class may be there the next time.
            ELEMENT.setRelease(codecs, number, found);
        }
        return found;
    }
}
