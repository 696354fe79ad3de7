package org.heapspan.image.inspect;

import java.io.IOException;

/** The records of an image of records. */
final class InspectRecordsStep extends InspectStep {
    InspectRecordsStep(InspectWalk walk) {
        super(walk, walk.tally.outside, walk.treeRoot, 0);
    }

    @Override
    void advance() throws IOException {
        if (walk.source.atEnd()) {
            walk.pop();
            return;
        }
        if (walk.source.scope() == InspectedImage.Scope.RECORD) {
            walk.references.forgetObjects();
        }
        walk.push(new InspectSectionStep(walk, walk.tally.outside, node, null, "record " + walk.tally.roots++));
    }
}
