package org.heapspan.image.inspect;

import java.util.List;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/** A type as the inspector sees it: from its tag or its description alone. */
final class InspectType {
    /** Objects and bytes of one class. */
    static final class Use {
        final String className;
        long count;
        long bytes;

        Use(String className) {
            this.className = className;
        }
    }

    /** Tag of a built-in type, 0 for a described one. */
    final int builtInTag;

    final @Nullable TypeDescription description;
    final Use use;
    /** All fields; null for types that are not written field by field. */
    final @Nullable FieldBlock fields;
    /** Fields of each level of a type with hooks. */
    final List<FieldBlock> levels;

    /** Whether objects have an index. */
    final boolean tracked;

    final boolean deferrable;

    final boolean numbered;

    private InspectType(
            int builtInTag,
            @Nullable TypeDescription description,
            Use use,
            @Nullable FieldBlock fields,
            List<FieldBlock> levels,
            boolean tracked,
            boolean deferrable) {
        this.builtInTag = builtInTag;
        this.description = description;
        this.use = use;
        this.fields = fields;
        this.levels = levels;
        this.tracked = tracked;
        this.deferrable = deferrable;
        this.numbered = isNumbered(builtInTag, description);
    }

    static InspectType builtIn(Codec codec, Use use) {
        return new InspectType(
                codec.builtInTag, null, use, null, List.of(), codec.has(Codec.TRACKED), codec.has(Codec.DEFERRABLE));
    }

    static InspectType described(TypeDescription description, Use use) {
        Kind kind = description.kind();
        FieldBlock fields = kind == Kind.FIELDS ? new FieldBlock(description.levels()) : null;
        List<FieldBlock> levels = kind == Kind.HOOKS
                ? description.levels().stream()
                        .map(level -> new FieldBlock(List.of(level)))
                        .toList()
                : List.of();
        boolean deferrable = kind == Kind.OBJECT_ARRAY
                || (kind == Kind.FIELDS && (Codec.traitsOf(description) & Codec.DEFERRABLE) != 0);
        return new InspectType(0, description, use, fields, levels, kind != Kind.ENUM, deferrable);
    }

    /** Whether its objects are numbers or constants, which have a form of their own among elements. */
    private static boolean isNumbered(int builtInTag, @Nullable TypeDescription description) {
        return builtInTag == InspectWalk.INTEGER_TAG
                || builtInTag == InspectWalk.LONG_TAG
                || (description != null && description.kind() == Kind.ENUM);
    }

    boolean isObjectArray() {
        return builtInTag == InspectWalk.OBJECT_ARRAY_TAG
                || builtInTag == InspectWalk.STRING_ARRAY_TAG
                || (description != null && description.kind() == Kind.OBJECT_ARRAY);
    }

    /** Whether its objects hold keys and values; asked only for those that hold elements or entries. */
    boolean holdsEntries() {
        return description == null
                ? builtInTag == BuiltInTypes.COMPARED_TREE_MAP_TAG || builtInTag == BuiltInTypes.IMMUTABLE_MAP_TAG
                : description.kind() == Kind.MAPPING;
    }

    /** What its objects are, for the tree. */
    String displayName() {
        return use.className;
    }
}
