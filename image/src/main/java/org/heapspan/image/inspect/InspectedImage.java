package org.heapspan.image.inspect;

import java.util.List;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link ImageInspector} found in an image. Immutable. All names and texts are printable: control characters are escaped. Long ones
 * are cut.
 *
 * @param sizeBytes bytes of the image
 * @param header the image header
 * @param frames the frames
 * @param types the types that the image describes, or numbers by the inspector's registry, in order of their tags
 * @param classes what the objects of each class take, most bytes first; built-in classes too
 * @param roots objects written one after the other: records of a group, objects of a stream, or the one root of a graph
 * @param resets how often an object stream was reset
 * @param references references to objects that came before
 * @param sharedReferences references to objects that are not in the image: those who exchange it know them
 * @param deferredBodies objects whose body follows later than the object, because they lay too deep
 * @param outsideBytes bytes of the frames' bodies that belong to no object: marks and primitive values of an object stream
 * @param tree the objects, as far as the inspector's limits on depth, width and nodes allow; of a raw image only those that are stored as
 *     they were in the writer's heap
 * @param problem what stopped the inspection, or that a checksum does not match; null if the image is sound
 */
public record InspectedImage(
        long sizeBytes,
        Header header,
        Frames frames,
        List<Type> types,
        List<ClassUse> classes,
        long roots,
        long resets,
        long references,
        long sharedReferences,
        long deferredBodies,
        long outsideBytes,
        Node tree,
        @Nullable HeapspanException problem) {

    /** Makes the lists unmodifiable. */
    public InspectedImage {
        types = List.copyOf(types);
        classes = List.copyOf(classes);
    }

    /**
     * How many objects the image holds, values such as boxes included.
     *
     * @return objects
     */
    public long objects() {
        return classes.stream().mapToLong(ClassUse::count).sum();
    }

    /**
     * The image header.
     *
     * @param version version of the format
     * @param checksummed whether frames carry a CRC32C
     * @param scope how far identity reaches, and what the roots are
     * @param transientFields whether transient fields are present ({@code Mode.CLONE})
     * @param registry identity of the {@link org.heapspan.TypeRegistry} that numbers the types; null if the image describes its
     *     types, or holds objects of built-in types only
     * @param heapLayout of a raw image, in words: fingerprint, JDK, sizes; empty for a compact one
     */
    public record Header(
            int version,
            boolean checksummed,
            Scope scope,
            boolean transientFields,
            @Nullable UUID registry,
            String heapLayout) {

        /**
         * Whether the image holds objects as they lie in a heap.
         *
         * @return false if it is compact
         */
        public boolean raw() {
            return !heapLayout.isEmpty();
        }
    }

    /** How far the identity of objects reaches. */
    public enum Scope {
        /** Each root, a graph or a record of a group, is by itself. */
        RECORD,
        /** The records of the group share objects. */
        GROUP,
        /** The image is an object stream; the objects in it are shared up to its next reset. */
        STREAM
    }

    /**
     * The frames.
     *
     * @param count how many there are, without the end frame
     * @param checksumMismatches how many have a checksum that their bytes contradict
     * @param typesBytes bytes of type descriptions
     * @param bodyBytes bytes of bodies
     * @param endFrame whether an end frame closes the image, as in streams
     * @param trailingBytes bytes behind the end frame, which are no part of the image
     * @param first the first thousand frames
     */
    public record Frames(
            long count,
            long checksumMismatches,
            long typesBytes,
            long bodyBytes,
            boolean endFrame,
            long trailingBytes,
            List<Frame> first) {}

    /**
     * A frame.
     *
     * @param offset where its header begins in the image
     * @param typesBytes bytes of type descriptions
     * @param bodyBytes bytes of its body
     * @param crc32c the checksum it carries; 0 in an image without checksums
     * @param checksumMatches false if its bytes contradict the checksum
     */
    public record Frame(long offset, int typesBytes, int bodyBytes, int crc32c, boolean checksumMatches) {}

    /**
     * A type of the image.
     *
     * @param tag the tag that stands for it in the image
     * @param kind how its objects are written: FIELDS, ENUM, OBJECT_ARRAY, PROXY, HOOKS or EXTERNAL
     * @param loaderScope name of the scope of the class's loader; empty if it has none
     * @param name class name
     * @param fingerprint hash of the description; equal layouts have equal fingerprints
     * @param sizeBytes bytes of the description
     * @param names constants of an enum, interfaces of a proxy
     * @param fields fields of all classes in the hierarchy
     */
    public record Type(
            int tag,
            String kind,
            String loaderScope,
            String name,
            long fingerprint,
            int sizeBytes,
            List<String> names,
            List<Field> fields) {}

    /**
     * A field of a described type.
     *
     * @param declaringClass class that declares it
     * @param type a primitive type, {@code java.lang.String} or {@code a reference}
     * @param name its name
     */
    public record Field(String declaringClass, String type, String name) {}

    /**
     * What the objects of one class take.
     *
     * @param className class name
     * @param count objects
     * @param bytes bytes of the bodies of frames, without the objects they refer to
     */
    public record ClassUse(String className, long count, long bytes) {}

    /**
     * An object, value or reference in the tree.
     *
     * @param label field, index or key that leads to it; empty for the tree's root
     * @param type class of the object; empty for primitive values, null and references to objects that came before
     * @param index number of the object in its scope, in a raw image its unit, which later references use; -1 for values without
     *     identity
     * @param value the value as a text, or what can be said about the contents
     * @param reference number of the object referred to if it came before, else -1
     * @param children what it contains
     * @param omitted how many children are left out
     */
    public record Node(
            String label, String type, int index, String value, int reference, List<Node> children, long omitted) {}
}
