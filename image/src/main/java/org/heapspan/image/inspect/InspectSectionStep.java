package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** A section: a reference or part of an object, then the bodies that were deferred within it. */
final class InspectSectionStep extends InspectStep {
    private final @Nullable InspectStep content;
    private final String label;
    private boolean begun;
    private @Nullable InspectSectionStep outer;

    private @Nullable InspectQueue deferred;

    InspectSectionStep(
            InspectWalk walk, Use owner, @Nullable InspectNode node, @Nullable InspectStep content, String label) {
        super(walk, owner, node, 0);
        this.content = content;
        this.label = label;
    }

    @Override
    void advance() throws IOException {
        if (!begun) {
            begun = true;
            outer = walk.section();
            walk.setSection(this);
            if (content == null) {
                walk.references.readRoot(this, label);
            } else {
                walk.push(content);
            }
        } else if (deferred != null && !deferred.isEmpty()) {
            InspectType type = deferred.type();
            int length = deferred.length();
            InspectNode deferredNode = deferred.node();
            deferred.removeFirst();
            walk.endDeferred();
            walk.tally.charge(walk.source.bodyPosition(), type.use);
            walk.bodies.read(type, length, deferredNode, 1);
        } else {
            walk.setSection(outer);
            walk.pop();
        }
    }

    void defer(InspectType type, int length, @Nullable InspectNode deferredNode) {
        walk.beginDeferred();
        if (deferred == null) {
            deferred = new InspectQueue();
        }
        deferred.add(type, length, deferredNode);
    }
}
