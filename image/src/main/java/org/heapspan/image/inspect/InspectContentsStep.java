package org.heapspan.image.inspect;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A count and as many elements or entries. */
final class InspectContentsStep extends InspectStep {
    private final InspectType type;
    private boolean begun;

    InspectContentsStep(InspectWalk walk, InspectType type, @Nullable InspectNode node) {
        super(walk, type.use, node, 0);
        this.type = type;
    }

    @Override
    void advance() throws IOException {
        if (begun) {
            walk.pop();
        } else if (type.holdsEntries()) {
            begun = true;
            walk.bodies.readEntries(owner, node, depth);
        } else {
            begun = true;
            walk.bodies.readElements(owner, node, depth, walk.source.readCount());
        }
    }
}
