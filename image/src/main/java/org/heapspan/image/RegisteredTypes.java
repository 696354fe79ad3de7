package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.LoaderScopes;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Types as numbers of a registry, in place of descriptions: {@code id:16 number*}. Thread-safe.
 *
 * @param registry gives out the numbers
 * @param scopes names of the loaders to which classes belong
 */
record RegisteredTypes(TypeRegistry registry, LoaderScopes scopes) {
    /** A class as a registry knows it. */
    static TypeRegistry.Type typeOf(Codec codec, LoaderScopes scopes) {
        return new TypeRegistry.Type(scopes.scopeOf(codec.type.getClassLoader()), codec.descriptionBytes());
    }

    int numberOf(Codec codec) {
        TypeRegistry.Type type = typeOf(codec, scopes);
        return registry.numberOf(type.loaderScope(), type.description());
    }

    /**
     * The loader for classes of a scope.
     *
     * @param unnamed where classes of the unnamed scope are found
     * @throws HeapspanException if no loader bears the name
     */
    @Nullable
    ClassLoader loaderOf(String loaderScope, @Nullable ClassLoader unnamed) {
        if (loaderScope.isEmpty()) {
            return unnamed;
        }
        ClassLoader loader = scopes.loaderOf(loaderScope);
        if (loader == null) {
            throw new HeapspanException(
                    Category.CLASS_NOT_FOUND,
                    "the image holds a class of loader scope \"" + loaderScope
                            + "\", and no loader bears that name here; give it to one with LoaderScopes");
        }
        return loader;
    }

    /**
     * Reads the types of a frame.
     *
     * @param registry the reader's registry; null if it has none
     * @param limitBytes how many bytes their descriptions may have together
     * @throws HeapspanException if the bytes name another registry, or a number is not of this one
     */
    static List<TypeRegistry.Type> read(
            @Nullable TypeRegistry registry, byte[] bytes, int start, int sizeBytes, int limitBytes) {
        if (sizeBytes < ImageFormat.REGISTRY_ID_BYTES) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the image is malformed: the types of a frame have " + sizeBytes + " bytes, expected at least "
                            + ImageFormat.REGISTRY_ID_BYTES + " for the identity of their registry");
        }
        UUID id = idOf(bytes, start);
        if (registry == null || !registry.id().equals(id)) {
            throw new HeapspanException(
                    Category.CLASS_NOT_FOUND,
                    "the image numbers its types by registry " + id + ", this reader has "
                            + (registry == null ? "none" : registry.id()) + "; give both sides the same TypeRegistry");
        }
        List<TypeRegistry.Type> types = new ArrayList<>();
        int end = start + sizeBytes;
        int[] position = {start + ImageFormat.REGISTRY_ID_BYTES};
        long described = 0;
        while (position[0] < end) {
            int number = TypeDescription.count(bytes, position, end);
            TypeRegistry.Type type = registry.typeOf(number);
            if (type == null) {
                throw new HeapspanException(
                        Category.CLASS_NOT_FOUND,
                        "registry " + id + " has no type " + number
                                + " here; list all classes of which objects travel");
            }
            described += type.description().length;
            if (described > limitBytes) {
                throw new HeapspanException(
                        Category.LIMIT, "the types of a frame have descriptions of more than " + limitBytes + " bytes");
            }
            types.add(type);
        }
        return types;
    }

    static UUID idOf(byte[] types, int start) {
        return new UUID((long) ImageFormat.LONG.get(types, start), (long) ImageFormat.LONG.get(types, start + 8));
    }

    /** Writes the types of frames. Not thread-safe: belongs to one writer. */
    static final class Output {
        private final RegisteredTypes types;
        /** Numbers of types plus one, by serial of their codecs; the stamps tell whose they are. */
        private int[] numbers = new int[16];

        private long[] stamps = new long[16];

        private int generation;
        private byte[] bytes = new byte[64];

        Output(RegisteredTypes types) {
            this.types = types;
            generation = types.scopes.generation();
        }

        /** Changes when loaders are given names, and with it what numbers types have. */
        int generation() {
            return types.scopes.generation();
        }

        /** What {@link #put} has written last. */
        byte[] bytes() {
            return bytes;
        }

        /**
         * Writes some types.
         *
         * @return how many bytes they take
         */
        int put(Codec[] codecs, int first, int end) {
            int most = ImageFormat.REGISTRY_ID_BYTES + ImageFormat.NUMBER_LIMIT_BYTES * (end - first);
            if (bytes.length < most) {
                bytes = new byte[most];
            }
            if (generation != types.scopes.generation()) {
                generation = types.scopes.generation();
                numbers = new int[16];
                stamps = new long[16];
            }
            UUID id = types.registry.id();
            ImageFormat.LONG.set(bytes, 0, id.getMostSignificantBits());
            ImageFormat.LONG.set(bytes, 8, id.getLeastSignificantBits());
            int p = ImageFormat.REGISTRY_ID_BYTES;
            for (int index = first; index < end; index++) {
                p = ImageFormat.putNumber(bytes, p, numberOf(codecs[index]));
            }
            return p;
        }

        private int numberOf(Codec codec) {
            int serial = codec.serial;
            if (serial >= numbers.length) {
                numbers = Arrays.copyOf(numbers, Math.max(serial + 1, numbers.length * 2));
                stamps = Arrays.copyOf(stamps, numbers.length);
            }
            if (numbers[serial] == 0 || stamps[serial] != codec.stamp) {
                numbers[serial] = types.numberOf(codec) + 1;
                stamps[serial] = codec.stamp;
            }
            return numbers[serial] - 1;
        }
    }
}
