package org.heapspan.image.serialization;

import org.heapspan.ObjectLinks;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Link;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** A class that travels field by field, some of whose fields hold links. Reading needs nothing special: a link stands where any reference could. */
public final class LinkingCodec extends Codec {
    private final Codec plain;
    private final FieldBlock block;
    private final FieldTargets targets;
    private final boolean[] linked;
    private final ObjectLinks links;

    private LinkingCodec(
            Codec plain, TypeDescription description, FieldAccess[] targets, boolean[] linked, ObjectLinks links) {
        super(plain.type, description, 0, plain.traits);
        this.plain = plain;
        block = new FieldBlock(description.levels());
        this.targets = new FieldTargets(targets);
        this.linked = linked;
        this.links = links;
    }

    /** The codec of a class, with links if any of its fields is linked. */
    public static Codec over(Codec plain, @Nullable ObjectLinks links) {
        TypeDescription description = plain.description;
        if (links == null
                || description == null
                || description.kind() != TypeDescription.Kind.FIELDS
                || plain instanceof StreamedCodec) {
            return plain;
        }
        FieldAccess[] targets = ClassFields.targets(plain.type, description);
        boolean[] linked = linked(targets, links);
        return linked == null ? plain : new LinkingCodec(plain, description, targets, linked, links);
    }

    /** Which of the fields are linked; null if none is. */
    public static boolean @Nullable [] linked(FieldAccess[] fields, ObjectLinks links) {
        boolean[] linked = new boolean[fields.length];
        boolean any = false;
        for (int i = 0; i < fields.length; i++) {
            Class<?> declared = fields[i].field.getType();
            linked[i] = !declared.isPrimitive() && declared != String.class && links.isLinked(fields[i].field);
            any |= linked[i];
        }
        return any ? linked : null;
    }

    @Override
    public ObjectLinks links() {
        return links;
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        FieldCodec.writeFields(writer, block, new Linked(targets.of(object)));
    }

    @Override
    public Object allocate(ImageReader reader) {
        return plain.allocate(reader);
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        plain.readBody(reader, object, hint);
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        return plain.read(reader, hint);
    }

    /** Values to be written, with links in place of what is linked. */
    private final class Linked implements FieldCodec.Values {
        private final FieldCodec.Values values;

        Linked(FieldCodec.Values values) {
            this.values = values;
        }

        @Override
        public long bits(int slot) {
            return values.bits(slot);
        }

        @Override
        public @Nullable Object reference(int slot) {
            Object value = values.reference(slot);
            return linked[slot] && value != null ? Link.inPlaceOf(value, links) : value;
        }

        @Override
        public void setBits(int slot, long bits) {
            throw new IllegalStateException("only written");
        }

        @Override
        public void setReference(int slot, @Nullable Object value) {
            throw new IllegalStateException("only written");
        }
    }
}
