package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** Elements of an array, list or set, or keys and values of a map in turn. */
final class InspectElementsStep extends InspectStep {
    private final boolean map;
    private final @Nullable InspectType kind;
    private final @Nullable InspectType valueKind;
    private final int length;
    /** The keys where they are not written as objects. */
    private final @Nullable InspectConstants keys;

    private int index;
    private boolean keyIsRead;
    private boolean keyIsShown;

    InspectElementsStep(
            InspectWalk walk,
            Use owner,
            @Nullable InspectNode node,
            int depth,
            int length,
            boolean map,
            @Nullable InspectType kind,
            @Nullable InspectType valueKind) {
        super(walk, owner, node, depth);
        this.length = length;
        this.map = map;
        this.kind = kind;
        this.valueKind = valueKind;
        this.keys = null;
    }

    /** The values of a map whose keys have been read. */
    InspectElementsStep(
            InspectWalk walk,
            Use owner,
            @Nullable InspectNode node,
            int depth,
            InspectConstants keys,
            @Nullable InspectType kind) {
        super(walk, owner, node, depth);
        this.length = keys.count();
        this.map = false;
        this.kind = kind;
        this.valueKind = null;
        this.keys = keys;
    }

    @Override
    void advance() throws IOException {
        while (index < length) {
            if (map && keyIsRead) {
                keyIsRead = false;
                InspectNode child = valueNode();
                index++;
                walk.references.readElement(this, valueKind, child);
            } else {
                InspectNode child = elementNode(map ? "key " : "");
                keyIsRead = true;
                keyIsShown = child != null;
                if (!map) {
                    index++;
                }
                walk.references.readElement(this, kind, child);
            }
            if (!walk.isTop(this)) {
                return;
            }
        }
        walk.pop();
    }

    private @Nullable InspectNode elementNode(String prefix) {
        if (node == null || !node.hasRoom()) {
            if (node != null) {
                node.omit();
            }
            return null;
        }
        return InspectNode.element(node, prefix + "[" + (keys == null ? index : keys.name(index)) + "]");
    }

    private @Nullable InspectNode valueNode() {
        if (node == null || !keyIsShown) {
            return null;
        }
        String key = node.foldLast();
        return InspectNode.field(node, key == null ? "value [" + index + "]" : "[" + key + "]");
    }
}
