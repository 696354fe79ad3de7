package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.inspect.InspectType.Use;
import org.heapspan.image.type.FieldBlock;
import org.jspecify.annotations.Nullable;

/** Items that methods of a class wrote, or those of an object stream. */
final class InspectItemsStep extends InspectStep {
    private final boolean stream;
    /** Fields of the class whose method wrote the items. */
    private final @Nullable FieldBlock block;

    private int number;

    InspectItemsStep(InspectWalk walk, Use owner, @Nullable InspectNode node, @Nullable FieldBlock block) {
        super(walk, owner, node, 0);
        this.stream = false;
        this.block = block;
    }

    /** The items of an object stream. */
    InspectItemsStep(InspectWalk walk, @Nullable InspectNode node) {
        super(walk, walk.tally.outside, node, 0);
        this.stream = true;
        this.block = null;
    }

    @Override
    void advance() throws IOException {
        if (stream && walk.source.atEnd()) {
            walk.pop();
            return;
        }
        int item = walk.source.readByte();
        switch (item) {
            case ImageFormat.ITEM_END -> {
                if (stream) {
                    throw walk.source.malformed("an object stream has a mark that only objects in it may have");
                }
                walk.pop();
            }
            case ImageFormat.ITEM_DATA -> {
                int length = walk.source.readCount();
                walk.source.skip(length);
                InspectNode child = InspectNode.element(node, "data " + number++);
                if (child != null) {
                    child.value = length + " bytes of primitive data";
                }
            }
            case ImageFormat.ITEM_OBJECT ->
                walk.push(new InspectSectionStep(
                        walk, owner, node, null, stream ? "object " + walk.tally.roots++ : "item " + number++));
            case ImageFormat.ITEM_FIELDS -> {
                if (block == null) {
                    throw walk.source.malformed("fields stand outside an object");
                }
                walk.push(new InspectSectionStep(
                        walk, owner, node, new InspectFieldsStep(walk, block, owner, node, 0), ""));
            }
            case ImageFormat.ITEM_RESET -> {
                if (!stream) {
                    throw walk.source.malformed("item " + item);
                }
                walk.tally.resets++;
                walk.references.forgetObjects();
                InspectNode child = InspectNode.element(node, "reset");
                if (child != null) {
                    child.value = "objects before it are forgotten";
                }
            }
            default -> throw walk.source.malformed("item " + item);
        }
    }
}
