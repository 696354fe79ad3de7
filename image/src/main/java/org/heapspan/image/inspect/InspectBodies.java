package org.heapspan.image.inspect;

import java.io.IOException;
import java.util.List;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.ElementsForm;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.inspect.InspectType.Use;
import org.heapspan.image.type.Derivation;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Knows what the body of an object of each type consists of: reads it for {@link InspectWalk}, or leaves it to a step. */
final class InspectBodies {
    private static final int NOT_AN_ARRAY = -1;

    private final InspectWalk walk;

    InspectBodies(InspectWalk walk) {
        this.walk = walk;
    }

    /** Shows an object that is a number, or the number of a constant. */
    void setNumber(InspectType type, long number, @Nullable InspectNode node) {
        TypeDescription description = type.description;
        String text;
        if (description == null) {
            long value = ImageFormat.unzigzag(number);
            text = Long.toString(type.builtInTag == InspectWalk.INTEGER_TAG ? (int) value : value);
        } else {
            text = constant(type, number);
        }
        if (node != null) {
            node.value = text;
        }
    }

    /** The name of a constant. */
    String constant(InspectType type, long number) {
        List<String> names = type.description == null ? List.of() : type.description.names();
        if (number < 0 || number >= names.size()) {
            throw walk.source.malformed(
                    "constant " + number + " of " + type.use.className + ", which has " + names.size());
        }
        return InspectText.name(names.get((int) number));
    }

    /** Reads what is needed to allocate an object; gives the length of an array. */
    int readShape(InspectType type) throws IOException {
        if (type.isObjectArray()) {
            return walk.source.readCount();
        }
        if (type.builtInTag == BuiltInTypes.ENUM_MAP_TAG) {
            kind();
        }
        if (type.builtInTag == 26) {
            walk.source.readByte();
        }
        return NOT_AN_ARRAY;
    }

    /** Reads an object's contents, or leaves that to a step on the top. */
    void read(InspectType type, int length, @Nullable InspectNode node, int depth) throws IOException {
        if (length != NOT_AN_ARRAY) {
            readElements(type.use, node, depth, length);
            return;
        }
        TypeDescription description = type.description;
        if (description == null) {
            builtInBody(type, node, depth);
            return;
        }
        switch (description.kind()) {
            case FIELDS -> {
                FieldBlock fields = type.fields;
                if (fields != null) {
                    walk.push(new InspectFieldsStep(walk, fields, type.use, node, depth));
                }
            }
            case ENUM -> setNumber(type, walk.source.readNumber(), node);
            case PROXY -> walk.push(new InspectSectionStep(walk, type.use, node, null, "handler"));
            case HOOKS ->
                walk.push(new InspectSectionStep(walk, type.use, node, new InspectLevelsStep(walk, type, node), ""));
            case EXTERNAL ->
                walk.push(new InspectSectionStep(
                        walk, type.use, node, new InspectItemsStep(walk, type.use, node, null), ""));
            case SEQUENCE, MAPPING ->
                walk.push(
                        description.names().isEmpty()
                                ? new InspectSectionStep(
                                        walk, type.use, node, new InspectContentsStep(walk, type, node), "")
                                : new InspectComparedStep(walk, type, node));
            case DERIVED -> derived(type, node, depth);
            case OBJECT_ARRAY -> throw new IllegalStateException("arrays have a length");
        }
    }

    private void derived(InspectType type, @Nullable InspectNode node, int depth) throws IOException {
        int number = walk.source.readByte();
        Derivation way = Derivation.ofNumber(number);
        if (way == null) {
            throw walk.source.malformed("a " + type.use.className + " is derived by method " + number);
        }
        if (node != null) {
            node.value = way.toString();
        }
        walk.push(
                way.hasNumbers()
                        ? new InspectNumberedStep(walk, type.use, node, way)
                        : new InspectOriginStep(walk, type.use, node, depth));
    }

    /** Reads the kind of elements, and leaves these to a step. */
    void readElements(Use owner, @Nullable InspectNode node, int depth, int length) throws IOException {
        setCount(node, length, "elements");
        if (length > 0) {
            walk.push(new InspectElementsStep(walk, owner, node, depth, length, false, kind(), null));
        }
    }

    /** Reads a count and the kinds of keys and values, and leaves these to a step. */
    void readEntries(Use owner, @Nullable InspectNode node, int depth) throws IOException {
        int entries = walk.source.readCount();
        setCount(node, entries, "entries");
        if (entries > 0) {
            InspectType keys = kind();
            walk.push(new InspectElementsStep(walk, owner, node, depth, entries, true, keys, kind()));
        }
    }

    /** Reads which constants of an enum there are. */
    private InspectConstants readConstants(@Nullable InspectType type) throws IOException {
        TypeDescription description = type == null ? null : type.description;
        if (type == null || description == null || description.kind() != TypeDescription.Kind.ENUM) {
            throw walk.source.malformed("an EnumSet or EnumMap is of a class that is no enum");
        }
        return new InspectConstants(
                this, type, walk.source.readBytes(description.names().size() + 7 >> 3));
    }

    private static void setCount(@Nullable InspectNode node, int count, String what) {
        if (node != null) {
            node.value = count + " " + what;
        }
    }

    private @Nullable InspectType kind() throws IOException {
        int tag = walk.source.readCount();
        if (tag == ElementsForm.MIXED) {
            return null;
        }
        if (tag < ImageFormat.TAG_FIRST_TYPE) {
            throw walk.source.malformed("elements have kind " + tag);
        }
        return walk.types.of(tag);
    }

    private void builtInBody(InspectType type, @Nullable InspectNode node, int depth) throws IOException {
        switch (type.builtInTag) {
            case ImageFormat.TAG_REPLACED ->
                walk.push(new InspectSectionStep(walk, type.use, node, null, "replacement"));
            case 24, 28, 29, 46, 47, BuiltInTypes.COPY_ON_WRITE_ARRAY_LIST_TAG, BuiltInTypes.TREE_SET_TAG ->
                readElements(type.use, node, depth, walk.source.readCount());
            case 25, 26, 27, BuiltInTypes.CONCURRENT_HASH_MAP_TAG -> readEntries(type.use, node, depth);
            case BuiltInTypes.ENUM_MAP_TAG -> {
                InspectConstants keys = readConstants(kind());
                setCount(node, keys.count(), "entries");
                if (keys.count() > 0) {
                    walk.push(new InspectElementsStep(walk, type.use, node, depth, keys, kind()));
                }
            }
            case BuiltInTypes.COMPARED_TREE_MAP_TAG,
                    BuiltInTypes.COMPARED_TREE_SET_TAG,
                    BuiltInTypes.PRIORITY_QUEUE_TAG -> walk.push(new InspectComparedStep(walk, type, node));
            case BuiltInTypes.IMMUTABLE_LIST_TAG -> {
                walk.source.readByte();
                walk.push(new InspectSectionStep(walk, type.use, node, new InspectContentsStep(walk, type, node), ""));
            }
            case BuiltInTypes.IMMUTABLE_SET_TAG, BuiltInTypes.IMMUTABLE_MAP_TAG ->
                walk.push(new InspectSectionStep(walk, type.use, node, new InspectContentsStep(walk, type, node), ""));
            case 30 -> walk.push(new InspectSectionStep(walk, type.use, node, null, "value"));
            case BuiltInTypes.ENUM_SET_TAG -> {
                InspectConstants constants = readConstants(kind());
                if (node != null) {
                    node.value = constants.text();
                }
            }
            default -> {
                String text = walk.values.read(type.builtInTag, InspectReferences.limitChars(node));
                if (node != null) {
                    node.value = text;
                }
            }
        }
    }
}
