package org.heapspan.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * Looks into an image without loading any class of it: what is in the header, which classes it describes, what their objects
 * take, and the objects as a tree.
 *
 * <p>The image need not be trusted and may be of any size: memory is bounded whatever the bytes say. Immutable and thread-safe.
 */
public final class ImageInspector {
    private static final int TREE_NODES_LIMIT = 50_000;
    /** Trees are walked recursively. */
    private static final int TREE_DEPTH_LIMIT = 500;

    private final int treeDepth;
    private final int treeWidth;

    /**
     * Creates an inspector.
     *
     * @param treeDepth levels of the tree; 0 for none, at most 500
     * @param treeWidth how many elements of an array or collection are shown
     * @throws IllegalArgumentException if one is negative or the depth exceeds 500
     */
    public ImageInspector(int treeDepth, int treeWidth) {
        if (treeDepth < 0 || treeDepth > TREE_DEPTH_LIMIT) {
            throw new IllegalArgumentException(
                    "the depth of the tree is " + treeDepth + ", expected 0 to " + TREE_DEPTH_LIMIT);
        }
        if (treeWidth < 0) {
            throw new IllegalArgumentException("the width of the tree is " + treeWidth + ", expected 0 or more");
        }
        this.treeDepth = treeDepth;
        this.treeWidth = treeWidth;
    }

    /**
     * Inspects an image in memory.
     *
     * @param image the image, all of the array
     * @return what was found, up to the first {@linkplain InspectedImage#problem problem} if there is one
     * @throws HeapspanException if the bytes do not begin as an image that this release knows
     */
    public InspectedImage inspect(byte[] image) {
        try {
            return inspect(new ByteArrayInputStream(image));
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail", e);
        }
    }

    /**
     * Inspects an image of any size.
     *
     * @param image delivers the image and is read to its end
     * @return what was found, up to the first {@linkplain InspectedImage#problem problem} if there is one
     * @throws HeapspanException if the bytes do not begin as an image that this release knows
     * @throws IOException if the stream fails
     */
    public InspectedImage inspect(InputStream image) throws IOException {
        InspectNode tree = new InspectNode.InspectTree(treeDepth, treeWidth, TREE_NODES_LIMIT).root();
        Inspection inspection = new Inspection(image, tree);
        return inspection.run();
    }

    /** The source and the walk, which know each other. */
    private static final class Inspection implements InspectSource.TypesListener {
        private final InspectSource source;
        private final InspectWalk walk;

        Inspection(InputStream image, InspectNode tree) {
            source = new InspectSource(image, this);
            walk = new InspectWalk(source, tree);
        }

        @Override
        public void describe(byte[] types) {
            if (source.has(ImageFormat.FLAG_REGISTRY)) {
                throw new HeapspanException(
                        HeapspanException.Category.CLASS_NOT_FOUND,
                        "the image numbers its types by a TypeRegistry and does not describe them; only its header and"
                                + " frames can be inspected");
            }
            walk.describe(types);
        }

        InspectedImage run() throws IOException {
            source.begin();
            HeapspanException problem = null;
            try {
                walk.run();
            } catch (HeapspanException e) {
                problem = e;
                walk.stop();
                try {
                    source.drain();
                } catch (HeapspanException sameOrLater) {
                    // The first problem is the one to tell.
                }
            }
            InspectedImage found = walk.result(problem);
            long mismatches = found.frames().checksumMismatches();
            return mismatches == 0 ? found : walk.result(altered(mismatches, problem));
        }

        private static HeapspanException altered(long mismatches, @Nullable HeapspanException problem) {
            return new HeapspanException(
                    HeapspanException.Category.MALFORMED,
                    "the checksum of " + mismatches + (mismatches == 1 ? " frame" : " frames")
                            + " does not match: the bytes were altered on the way"
                            + (problem == null ? "" : "; " + problem.getMessage()),
                    problem);
        }
    }
}
