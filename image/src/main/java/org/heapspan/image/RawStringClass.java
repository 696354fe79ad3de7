package org.heapspan.image;

import org.jspecify.annotations.Nullable;

/** Strings, which must be in order for the JVM's own sake, and whose form differs where a JVM has no compact strings. */
final class RawStringClass extends RawClass.Instance {
    private final boolean otherForm;

    RawStringClass(RawLayout layout, RawClassDescription described, @Nullable FieldAccess[] targets) {
        super(layout, String.class, null, described, targets);
        otherForm = layout.compactStrings() != StringForm.COMPACT;
    }

    @Override
    void fill(RawImageReader reader, Object object, byte[] bytes, int position, long from, long to) {
        super.fill(reader, object, bytes, position, from, to);
        reader.checkLater((String) object, otherForm);
    }
}
