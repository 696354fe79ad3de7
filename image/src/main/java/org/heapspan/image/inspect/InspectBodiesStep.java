package org.heapspan.image.inspect;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Bodies that were deferred and come before the end of their section, then the reference before which they come. */
final class InspectBodiesStep extends InspectStep {
    private final InspectStep from;
    private final int depthOfReference;
    private final @Nullable InspectQueue outer;

    InspectBodiesStep(InspectWalk walk, InspectStep from, @Nullable InspectNode node, int depthOfReference) {
        super(walk, from.owner, node, from.depth);
        this.from = from;
        this.depthOfReference = depthOfReference;
        InspectSectionStep section = walk.section();
        outer = section == null ? null : section.setGroup(null);
    }

    @Override
    void advance() throws IOException {
        InspectSectionStep section = walk.section();
        if (section == null || !section.readDeferred()) {
            if (section != null) {
                section.setGroup(outer);
            }
            walk.pop();
            walk.references.read(from, node, depthOfReference);
        }
    }
}
