package org.heapspan.image.inspect;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of the tree while it is built. Its height is limited, so that what walks it may recurse. */
final class InspectNode {
    private final InspectTree tree;
    private final int depth;
    private final String label;
    private final List<InspectNode> children = new ArrayList<>(0);
    private long omitted;

    String type = "";
    String value = "";
    int index = -1;
    int reference = -1;

    private InspectNode(InspectTree tree, int depth, String label) {
        this.tree = tree;
        this.depth = depth;
        this.label = label;
    }

    /** What limits the size of a tree. */
    static final class InspectTree {
        private final int depthLimit;
        private final int widthLimit;
        private int nodesLeft;

        InspectTree(int depthLimit, int widthLimit, int nodeLimit) {
            this.depthLimit = depthLimit;
            this.widthLimit = widthLimit;
            this.nodesLeft = nodeLimit;
        }

        InspectNode root() {
            return new InspectNode(this, 0, "");
        }
    }

    /** A node for a field; all fields of a node that is shown are shown. */
    static @Nullable InspectNode field(@Nullable InspectNode parent, String name) {
        return parent == null ? null : parent.add(name, Integer.MAX_VALUE);
    }

    /** A node for an element; null if the limits leave no room for it. */
    static @Nullable InspectNode element(@Nullable InspectNode parent, String label) {
        return parent == null ? null : parent.add(label, parent.tree.widthLimit);
    }

    /** Whether another element would be shown: its label need not be made if not. */
    boolean hasRoom() {
        return depth < tree.depthLimit && children.size() < tree.widthLimit && tree.nodesLeft > 0;
    }

    void omit() {
        omitted++;
    }

    void omit(long more) {
        omitted += more;
    }

    private @Nullable InspectNode add(String childLabel, int widthLimit) {
        if (depth >= tree.depthLimit || children.size() >= widthLimit || tree.nodesLeft <= 0) {
            omitted++;
            return null;
        }
        tree.nodesLeft--;
        InspectNode child = new InspectNode(tree, depth + 1, childLabel);
        children.add(child);
        return child;
    }

    /** Takes away the last child if it says everything in one text, which may then serve as a label. */
    @Nullable
    String foldLast() {
        InspectNode last = children.get(children.size() - 1);
        if (!last.children.isEmpty() || last.omitted > 0 || last.value.isEmpty()) {
            return null;
        }
        children.remove(children.size() - 1);
        tree.nodesLeft++;
        return last.reference >= 0 ? "#" + last.reference : last.value;
    }

    InspectedImage.Node toResult() {
        List<InspectedImage.Node> results = new ArrayList<>(children.size());
        for (InspectNode child : children) {
            results.add(child.toResult());
        }
        return new InspectedImage.Node(label, type, index, value, reference, List.copyOf(results), omitted);
    }
}
