package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/** The levels of a class with hooks. */
final class InspectLevelsStep extends InspectStep {
    private final InspectType type;
    private int level;

    InspectLevelsStep(InspectWalk walk, InspectType type, @Nullable InspectNode node) {
        super(walk, type.use, node, 0);
        this.type = type;
    }

    @Override
    void advance() throws IOException {
        TypeDescription description = type.description;
        if (description == null || level == description.levels().size()) {
            walk.pop();
            return;
        }
        FieldBlock block = type.levels.get(level);
        boolean items = (description.levels().get(level).flags() & Level.HAS_WRITE_OBJECT) != 0;
        level++;
        walk.push(
                items
                        ? new InspectItemsStep(walk, owner, node, block)
                        : new InspectSectionStep(
                                walk, owner, node, new InspectFieldsStep(walk, block, owner, node, 0), ""));
    }
}
