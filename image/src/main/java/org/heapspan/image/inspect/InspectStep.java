package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** Something that {@link InspectWalk} is reading and that contains something else. */
abstract class InspectStep {
    final InspectWalk walk;

    /** To whom its own bytes belong. */
    final Use owner;

    /** Where in the tree what it reads is shown; null if it is not. */
    final @Nullable InspectNode node;

    /** How deep its object lies within its section. */
    final int depth;

    /** What contains it; set by the walk. */
    @Nullable
    InspectStep below;

    InspectStep(InspectWalk walk, Use owner, @Nullable InspectNode node, int depth) {
        this.walk = walk;
        this.owner = owner;
        this.node = node;
        this.depth = depth;
    }

    /** Reads on; called again until it has removed itself. */
    abstract void advance() throws IOException;
}
