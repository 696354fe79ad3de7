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

    /** Bodies that come now. */
    private @Nullable InspectQueue group;

    /** Bodies that come behind them, or early. */
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
        } else if (!readDeferred()) {
            walk.setSection(outer);
            walk.pop();
        }
    }

    /** Reads the next body that was deferred; false if there is none. */
    boolean readDeferred() throws IOException {
        InspectQueue bodies = group;
        if (bodies == null || bodies.isEmpty()) {
            bodies = deferred;
            if (bodies == null || bodies.isEmpty()) {
                return false;
            }
            deferred = group;
            group = bodies;
        }
        InspectType type = bodies.type();
        int length = bodies.length();
        InspectNode deferredNode = bodies.node();
        bodies.removeFirst();
        walk.endDeferred();
        walk.tally.charge(walk.source.bodyPosition(), type.use);
        walk.bodies.read(type, length, deferredNode, 1);
        return true;
    }

    /** Changes the bodies that come now; returns those that were to come. */
    @Nullable
    InspectQueue setGroup(@Nullable InspectQueue bodies) {
        InspectQueue outer = group;
        group = bodies;
        return outer;
    }

    void defer(InspectType type, int length, @Nullable InspectNode deferredNode) {
        walk.beginDeferred();
        if (deferred == null) {
            deferred = new InspectQueue();
        }
        deferred.add(type, length, deferredNode);
    }
}
