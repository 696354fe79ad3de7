package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.heapspan.image.type.Derivation;
import org.jspecify.annotations.Nullable;

/** The list of a sub list and its bounds, or the collection of an iterator and its position. */
final class InspectNumberedStep extends InspectStep {
    private final Derivation way;
    private boolean begun;

    InspectNumberedStep(InspectWalk walk, Use owner, @Nullable InspectNode node, Derivation way) {
        super(walk, owner, node, 0);
        this.way = way;
    }

    @Override
    void advance() throws IOException {
        if (begun) {
            int first = walk.source.readCount();
            String text = way == Derivation.SUB_LIST
                    ? walk.source.readCount() + " elements from " + first + " on"
                    : "behind " + first + " elements";
            if (node != null) {
                node.value = text;
            }
            walk.pop();
        } else {
            begun = true;
            walk.push(new InspectSectionStep(walk, owner, node, null, "origin"));
        }
    }
}
