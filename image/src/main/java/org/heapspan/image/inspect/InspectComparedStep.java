package org.heapspan.image.inspect;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A sorted container or a priority queue: its comparator, then its contents. */
final class InspectComparedStep extends InspectStep {
    private final InspectType type;
    private boolean comparatorIsRead;
    private boolean contentsAreRead;

    InspectComparedStep(InspectWalk walk, InspectType type, @Nullable InspectNode node) {
        super(walk, type.use, node, 0);
        this.type = type;
    }

    @Override
    void advance() throws IOException {
        if (!comparatorIsRead) {
            comparatorIsRead = true;
            walk.push(new InspectSectionStep(walk, owner, node, null, "comparator"));
        } else if (!contentsAreRead) {
            contentsAreRead = true;
            walk.push(new InspectSectionStep(walk, owner, node, new InspectContentsStep(walk, type, node), ""));
        } else {
            walk.pop();
        }
    }
}
