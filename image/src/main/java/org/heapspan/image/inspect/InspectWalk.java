package org.heapspan.image.inspect;

import java.io.IOException;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Walks the bodies of an image by the rules of the format ({@code docs/formats/image.md}), with no class of the image loaded. The
 * way from the root to where it stands is kept as a chain of {@linkplain InspectStep steps} on the heap, so that no image can overflow
 * the stack.
 */
final class InspectWalk {
    static final int INTEGER_TAG = 8;
    static final int LONG_TAG = 9;
    static final int OBJECT_ARRAY_TAG = 20;
    static final int STRING_ARRAY_TAG = 21;

    /** Steps are some 60 bytes each; images of sane programs need a few hundred. */
    private static final int STEPS_LIMIT = 1 << 21;

    private static final int DEFERRED_LIMIT = 1 << 24;

    final InspectSource source;
    final InspectNode treeRoot;
    final InspectTally tally = new InspectTally();
    final InspectValues values;
    final InspectTypes types;
    final InspectReferences references;
    final InspectBodies bodies;

    // Where the walk stands.
    private @Nullable InspectStep top;
    private int steps;
    private int deferredCount;
    private @Nullable InspectSectionStep section;

    InspectWalk(InspectSource source, InspectNode treeRoot) {
        this.source = source;
        this.treeRoot = treeRoot;
        values = new InspectValues(source);
        types = new InspectTypes(source, tally);
        references = new InspectReferences(this);
        bodies = new InspectBodies(this);
    }

    /** Takes notice of some types by their descriptions. */
    void describe(String loaderScope, byte[] bytes) {
        types.describe(loaderScope, bytes);
    }

    /** What has been found, up to where the walk stands. */
    InspectedImage result(@Nullable UUID registry, @Nullable HeapspanException problem) {
        return tally.result(source, registry, types.results(), treeRoot.toResult(), problem);
    }

    void run() throws IOException {
        push(
                source.scope() == InspectedImage.Scope.STREAM
                        ? new InspectItemsStep(this, treeRoot)
                        : new InspectRecordsStep(this));
        while (top != null) {
            top.advance();
        }
        tally.charge(source.bodyPosition(), tally.outside);
    }

    /** What stopped the walk, stopped it here. */
    void stop() {
        tally.charge(source.bodyPosition(), tally.outside);
    }

    /** Lets a step go on before the one that is on the top. */
    void push(InspectStep step) {
        if (++steps > STEPS_LIMIT) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "objects of classes with methods of their own nest deeper than the inspector follows");
        }
        step.below = top;
        top = step;
    }

    /** Removes the step on the top, which has read everything. */
    void pop() throws IOException {
        InspectStep done = top;
        if (done != null) {
            top = done.below;
            steps--;
            tally.charge(source.bodyPosition(), top == null ? tally.outside : top.owner);
        }
    }

    boolean isTop(InspectStep step) {
        return top == step;
    }

    /** The innermost section; null outside of all. */
    @Nullable
    InspectSectionStep section() {
        return section;
    }

    void setSection(@Nullable InspectSectionStep innermost) {
        section = innermost;
    }

    /** Counts an object that is deferred, of which there may not be too many at a time. */
    void beginDeferred() {
        if (++deferredCount > DEFERRED_LIMIT) {
            throw new HeapspanException(
                    Category.LIMIT, "more than " + DEFERRED_LIMIT + " objects are deferred, the inspector's limit");
        }
    }

    void endDeferred() {
        deferredCount--;
    }
}
