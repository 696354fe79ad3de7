package org.heapspan.image.raw;

import org.heapspan.image.codec.LinkedInstanceCodec;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Copies instances of a class without its {@linkplain org.heapspan.ObjectLinks#constantsOf constants}, for which the image has links. */
class RawSelectiveForm extends RawInstanceForm {
    private @Nullable LinkedInstanceCodec codec;

    RawSelectiveForm(
            RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields, boolean tracked) {
        super(Kind.SELECTED_OBJECT, layout, type, description, fields);
        if (!tracked) {
            throw new IllegalStateException("instances of " + type + " have no identity");
        }
    }

    /** Sets what tells constants from other instances, before the form is used. */
    final void selectBy(LinkedInstanceCodec newCodec) {
        codec = newCodec;
    }

    @Override
    @Nullable
    Object constantFor(Object object) {
        LinkedInstanceCodec selecting = codec;
        return selecting == null ? null : selecting.linkOf(object);
    }
}
