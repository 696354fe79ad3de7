package org.heapspan.image.graph;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.LoaderScopes;
import org.heapspan.TypeRegistry;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * Types that are numbers of a registry, and not descriptions: {@code id:16 (number | UNNUMBERED loaderScope description)*}. A type without
 * a number has a description. So a writer never has to wait for the registry. Thread-safe.
 *
 * @param registry gives out the numbers
 * @param scopes names of the loaders to which classes belong
 */
public record RegisteredTypes(TypeRegistry registry, LoaderScopes scopes) {
    /** Stands before a type that has no number, where others have theirs. */
    private static final int UNNUMBERED = TypeRegistry.MOST_TYPES;

    /** A class as a registry knows it. */
    static TypeRegistry.Type typeOf(Codec codec, LoaderScopes scopes) {
        return new TypeRegistry.Type(scopes.scopeOf(codec.type.getClassLoader()), codec.descriptionBytes());
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
                            + "\", and no class loader has that name here; name one with LoaderScopes");
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
    public static List<TypeRegistry.Type> read(
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
                    "the image has type numbers of registry " + id + ", this reader has "
                            + (registry == null ? "none" : registry.id()) + "; give both sides the same TypeRegistry");
        }
        int end = start + sizeBytes;
        int[] position = {start + ImageFormat.REGISTRY_ID_BYTES};
        List<TypeRegistry.@Nullable Type> types = new ArrayList<>();
        int[] numbers = new int[16];
        int numbered = 0;
        while (position[0] < end) {
            int number = TypeDescription.count(bytes, position, end);
            types.add(number == UNNUMBERED ? described(bytes, position, end) : null);
            if (number != UNNUMBERED) {
                if (numbered == numbers.length) {
                    numbers = Arrays.copyOf(numbers, numbered * 2);
                }
                numbers[numbered++] = number;
            }
        }
        return complete(registry, types, Arrays.copyOf(numbers, numbered), limitBytes);
    }

    private static TypeRegistry.Type described(byte[] bytes, int[] position, int end) {
        String loaderScope = TypeDescription.name(bytes, position, end);
        int from = position[0];
        position[0] = from + TypeDescription.sizeBytes(bytes, from, end);
        return new TypeRegistry.Type(loaderScope, Arrays.copyOfRange(bytes, from, position[0]));
    }

    /** Puts the types of the numbers, in their order, where there is none yet. */
    private static List<TypeRegistry.Type> complete(
            TypeRegistry registry, List<TypeRegistry.@Nullable Type> types, int[] numbers, int limitBytes) {
        TypeRegistry.@Nullable Type[] found = registry.typesOf(numbers);
        List<TypeRegistry.Type> complete = new ArrayList<>(types.size());
        int next = 0;
        long described = 0;
        for (TypeRegistry.Type type : types) {
            if (type == null) {
                int number = numbers[next];
                type = found[next++];
                if (type == null) {
                    throw new HeapspanException(
                            Category.CLASS_NOT_FOUND,
                            "registry " + registry.id() + " has no type " + number
                                    + " here; list all classes of which objects travel");
                }
            }
            described += type.description().length;
            if (described > limitBytes) {
                throw new HeapspanException(
                        Category.LIMIT, "the types of a frame have descriptions of more than " + limitBytes + " bytes");
            }
            complete.add(type);
        }
        return complete;
    }

    public static UUID idOf(byte[] types, int start) {
        return new UUID((long) ImageFormat.LONG.get(types, start), (long) ImageFormat.LONG.get(types, start + 8));
    }

    /** Writes the types of frames. Not thread-safe: belongs to one writer. */
    static final class Output {
        private final RegisteredTypes types;
        /** Numbers of types plus one, by serial of their codecs; the stamps tell whose they are. 0 where there is none. */
        private int[] numbers = new int[16];

        private long[] stamps = new long[16];

        private int generation;
        private byte[] bytes = new byte[64];
        private boolean provisional;

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

        /** Whether {@link #put} has last described a type that may have a number the next time. */
        boolean isProvisional() {
            return provisional;
        }

        /**
         * Writes some types.
         *
         * @return how many bytes they take
         */
        int put(Codec[] codecs, int first, int end) {
            if (generation != types.scopes.generation()) {
                generation = types.scopes.generation();
                numbers = new int[16];
                stamps = new long[16];
            }
            learn(codecs, first, end);
            provisional = false;
            int p = 0;
            room(p, ImageFormat.REGISTRY_ID_BYTES + ImageFormat.NUMBER_LIMIT_BYTES * (end - first));
            UUID id = types.registry.id();
            ImageFormat.LONG.set(bytes, 0, id.getMostSignificantBits());
            ImageFormat.LONG.set(bytes, 8, id.getLeastSignificantBits());
            p = ImageFormat.REGISTRY_ID_BYTES;
            for (int index = first; index < end; index++) {
                Codec codec = codecs[index];
                p = isKnown(codec)
                        ? ImageFormat.putNumber(bytes, p, numbers[codec.serial] - 1)
                        : describe(p, codec, ImageFormat.NUMBER_LIMIT_BYTES * (end - index));
            }
            return p;
        }

        /** Whether the numbers of types are 0, 1, 2 and so on. */
        boolean areFirst(Codec[] codecs, int count) {
            int index = 0;
            while (index < count && isNumbered(codecs[index], index)) {
                index++;
            }
            return index == count || !isKnown(codecs[index]) && areFirstOnceAsked(codecs, index, count);
        }

        private boolean areFirstOnceAsked(Codec[] codecs, int first, int count) {
            learn(codecs, first, count);
            for (int index = first; index < count; index++) {
                if (!isNumbered(codecs[index], index)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isNumbered(Codec codec, int number) {
            return isKnown(codec) && numbers[codec.serial] == number + 1;
        }

        /** Asks the registry for all numbers at once that are not known yet. */
        private void learn(Codec[] codecs, int first, int end) {
            List<Codec> unknown = null;
            for (int index = first; index < end; index++) {
                if (!isKnown(codecs[index])) {
                    unknown = unknown == null ? new ArrayList<>() : unknown;
                    unknown.add(codecs[index]);
                }
            }
            if (unknown == null) {
                return;
            }
            int[] found = types.registry.numbersOf(
                    unknown.stream().map(codec -> typeOf(codec, types.scopes)).toList());
            for (int i = 0; i < found.length; i++) {
                Codec codec = unknown.get(i);
                numbers[codec.serial] = found[i] + 1;
                stamps[codec.serial] = codec.stamp;
            }
        }

        /** Whether a type has a number that was found out before; makes a place for it. */
        private boolean isKnown(Codec codec) {
            int serial = codec.serial;
            if (serial >= numbers.length) {
                numbers = Arrays.copyOf(numbers, Math.max(serial + 1, numbers.length * 2));
                stamps = Arrays.copyOf(stamps, numbers.length);
            }
            return numbers[serial] != 0 && stamps[serial] == codec.stamp;
        }

        private int describe(int start, Codec codec, int laterBytes) {
            provisional = true;
            TypeRegistry.Type type = typeOf(codec, types.scopes);
            byte[] scope = type.loaderScope().getBytes(StandardCharsets.UTF_8);
            byte[] description = type.description();
            room(start, 2 * ImageFormat.NUMBER_LIMIT_BYTES + scope.length + description.length + laterBytes);
            int p = ImageFormat.putNumber(bytes, start, UNNUMBERED);
            p = ImageFormat.putNumber(bytes, p, scope.length);
            System.arraycopy(scope, 0, bytes, p, scope.length);
            p += scope.length;
            System.arraycopy(description, 0, bytes, p, description.length);
            return p + description.length;
        }

        private void room(int used, int moreBytes) {
            if (bytes.length - used < moreBytes) {
                bytes = Arrays.copyOf(bytes, Math.max(used + moreBytes, bytes.length * 2));
            }
        }
    }
}
