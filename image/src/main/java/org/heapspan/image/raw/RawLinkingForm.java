package org.heapspan.image.raw;

import org.heapspan.ObjectLinks;
import org.heapspan.image.serialization.LinkingCodec;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Copies instances of a class with fields that hold links. The links are beside the copies. */
final class RawLinkingForm extends RawInstanceForm {
    private final ObjectLinks links;
    private final boolean[] linked;

    /**
     * Creates the form.
     *
     * @param fields as {@link RawInstanceForm}, one of them linked at least
     */
    RawLinkingForm(
            RawLayout layout,
            Class<?> type,
            TypeDescription description,
            FieldAccess[] fields,
            boolean tracked,
            ObjectLinks links) {
        super(layout, type, description, fields, tracked);
        this.links = links;
        boolean[] found = LinkingCodec.linked(byOffset(fields).toArray(FieldAccess[]::new), links);
        linked = found == null ? new boolean[fields.length] : found;
    }

    @Override
    @Nullable
    Object travelling(RawAddressedWriter writer, int field, @Nullable Object target) {
        return linked[field] && target != null ? writer.linkInPlaceOf(target, links) : target;
    }
}
