package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** The origin of a derived object. */
final class InspectOriginStep extends InspectStep {
    private boolean begun;

    InspectOriginStep(InspectWalk walk, Use owner, @Nullable InspectNode node, int depth) {
        super(walk, owner, node, depth);
    }

    @Override
    void advance() throws IOException {
        if (begun) {
            walk.pop();
        } else {
            begun = true;
            walk.references.read(this, InspectNode.element(node, "origin"), depth + 1);
        }
    }
}
