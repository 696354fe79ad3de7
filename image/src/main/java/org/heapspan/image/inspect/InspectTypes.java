package org.heapspan.image.inspect;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/** The types of an image that {@link InspectWalk} goes through: the built-in ones, and those that it describes. */
final class InspectTypes {
    private static final int TYPES_LIMIT = 1 << 20;

    private final InspectSource source;
    private final InspectTally tally;
    private final List<InspectedImage.Type> results = new ArrayList<>();
    private final List<InspectType> described = new ArrayList<>();
    private final @Nullable InspectType[] builtIn = new InspectType[ImageFormat.TAG_FIRST_DESCRIBED_TYPE];

    InspectTypes(InspectSource source, InspectTally tally) {
        this.source = source;
        this.tally = tally;
    }

    /** Those that have been described so far. */
    List<InspectedImage.Type> results() {
        return results;
    }

    /** Takes notice of some types by their descriptions. */
    void describe(String loaderScope, byte[] bytes) {
        int offset = 0;
        while (offset < bytes.length) {
            int size = TypeDescription.sizeBytes(bytes, offset, bytes.length);
            TypeDescription description = TypeDescription.decode(bytes, offset, size);
            if (described.size() >= TYPES_LIMIT) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "the image describes more than " + TYPES_LIMIT + " types, the inspector's limit");
            }
            String name = InspectText.className(description.name());
            results.add(typeResult(loaderScope, description, name, fingerprint(bytes, offset, size), size));
            described.add(InspectType.described(description, tally.use(name)));
            offset += size;
        }
    }

    private InspectedImage.Type typeResult(
            String loaderScope, TypeDescription description, String name, long fingerprint, int sizeBytes) {
        List<InspectedImage.Field> fields = new ArrayList<>();
        for (Level level : description.levels()) {
            for (TypeDescription.Field field : level.fields()) {
                fields.add(new InspectedImage.Field(
                        InspectText.className(level.className()), field.typeName(), InspectText.name(field.name())));
            }
        }
        return new InspectedImage.Type(
                ImageFormat.TAG_FIRST_DESCRIBED_TYPE + described.size(),
                description.kind().name(),
                InspectText.name(loaderScope),
                name,
                fingerprint,
                sizeBytes,
                description.names().stream().map(InspectText::name).toList(),
                List.copyOf(fields));
    }

    /** As {@link TypeDescription#fingerprint}, of the bytes as they stand. */
    private static long fingerprint(byte[] bytes, int offset, int sizeBytes) {
        long hash = 0xcbf29ce484222325L;
        for (int i = offset; i < offset + sizeBytes; i++) {
            hash = (hash ^ bytes[i] & 0xFF) * 0x100000001b3L;
        }
        return hash;
    }

    /** The type that a tag in the image stands for. */
    InspectType of(int tag) {
        int number = tag - ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            if (number < described.size()) {
                return described.get(number);
            }
            throw source.malformed("type " + number + " is used, " + described.size() + " are described so far");
        }
        if (tag < ImageFormat.TAG_FIRST_TYPE) {
            throw source.malformed("tag " + tag + " names no type");
        }
        InspectType known = builtIn[tag];
        if (known == null) {
            Codec codec = BuiltInTypes.codec(tag);
            if (codec == null) {
                throw source.malformed("tag " + tag + " names no built-in type");
            }
            String name = switch (tag) {
                case ImageFormat.TAG_REPLACED -> "(writeReplace)";
                case ImageFormat.TAG_LINK -> "(outside of the image)";
                default -> InspectText.className(codec.type.getName());
            };
            known = InspectType.builtIn(codec, tally.use(name));
            builtIn[tag] = known;
        }
        return known;
    }
}
