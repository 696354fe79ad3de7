package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Fields: the block with all primitive ones first, then the references. */
final class InspectFieldsStep extends InspectStep {
    private final FieldBlock block;
    private int slot = -1;

    InspectFieldsStep(InspectWalk walk, FieldBlock block, Use owner, @Nullable InspectNode node, int depth) {
        super(walk, owner, node, depth);
        this.block = block;
    }

    @Override
    void advance() throws IOException {
        if (slot < 0) {
            slot = walk.values.readBlock(block, node);
        }
        while (slot < block.slots.size()) {
            TypeDescription.Field field = block.slots.get(slot++).field();
            if (field.code() == TypeDescription.Field.STRING) {
                walk.references.readStringSlot(this, fieldNode(field));
            } else {
                walk.references.read(this, fieldNode(field), depth + 1);
                if (!walk.isTop(this)) {
                    return;
                }
            }
        }
        walk.pop();
    }

    private @Nullable InspectNode fieldNode(TypeDescription.Field field) {
        return node == null ? null : InspectNode.field(node, InspectText.name(field.name()));
    }
}
