package org.heapspan.image.inspect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.LoaderScopes;
import org.heapspan.TypeRegistry;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.RegisteredTypes;
import org.jspecify.annotations.Nullable;

/**
 * Shows what is in an image, and loads no class of it: the header, the classes, how many bytes the objects of each class take, and the
 * objects as a tree. The tree has at most 50,000 nodes: objects, values and references. Of a raw image it has only objects in the first
 * 16 MB that are stored as they were in the writer's heap. Long names and texts are cut.
 *
 * <p>The image need not be trusted and may be of any size: memory is bounded whatever the bytes say. Immutable and thread-safe.
 */
public final class ImageInspector {
    private static final int TREE_NODES_LIMIT = 50_000;
    /** Trees are walked recursively. */
    private static final int TREE_DEPTH_LIMIT = 500;

    /** Descriptions in a registry are as large as those in images, and an image may name them many times. */
    private static final int REGISTERED_LIMIT_BYTES = 8 << 20;

    private final int treeDepth;
    private final int treeWidth;
    private final @Nullable TypeRegistry registry;

    /**
     * Creates an inspector of images that describe their types. Of images that number them by a registry it shows header and
     * frames only, with a {@linkplain InspectedImage#problem problem} of category CLASS_NOT_FOUND.
     *
     * @param treeDepth levels of the tree; 0 for none, at most 500
     * @param treeWidth how many elements of an array or collection are shown
     * @throws IllegalArgumentException if one is negative or the depth exceeds 500
     */
    public ImageInspector(int treeDepth, int treeWidth) {
        this(treeDepth, treeWidth, null);
    }

    /**
     * Creates an inspector.
     *
     * @param treeDepth levels of the tree; 0 for none, at most 500
     * @param treeWidth how many elements of an array or collection are shown
     * @param registry explains the types of images that were written with it; null if there is none
     * @throws IllegalArgumentException if a number is negative or the depth exceeds 500
     */
    public ImageInspector(int treeDepth, int treeWidth, @Nullable TypeRegistry registry) {
        if (treeDepth < 0 || treeDepth > TREE_DEPTH_LIMIT) {
            throw new IllegalArgumentException(
                    "the depth of the tree is " + treeDepth + ", expected 0 to " + TREE_DEPTH_LIMIT);
        }
        if (treeWidth < 0) {
            throw new IllegalArgumentException("the width of the tree is " + treeWidth + ", expected 0 or more");
        }
        this.treeDepth = treeDepth;
        this.treeWidth = treeWidth;
        this.registry = registry;
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
     * @param image delivers the image; it is read to its end and not closed
     * @return what was found, up to the first {@linkplain InspectedImage#problem problem} if there is one
     * @throws HeapspanException if the bytes do not begin as an image that this release knows
     * @throws IOException if the stream fails
     */
    public InspectedImage inspect(InputStream image) throws IOException {
        InspectNode tree = new InspectNode.InspectTree(treeDepth, treeWidth, TREE_NODES_LIMIT).root();
        Inspection inspection = new Inspection(image, tree, registry);
        return inspection.run();
    }

    /** The source and the walk, which know each other. */
    private static final class Inspection implements InspectSource.TypesListener {
        private final InspectSource source;
        private final InspectWalk walk;
        private final InspectNode tree;

        private final @Nullable TypeRegistry registry;
        private @Nullable UUID registryId;
        private boolean stopped;

        Inspection(InputStream image, InspectNode tree, @Nullable TypeRegistry registry) {
            this.registry = registry;
            source = new InspectSource(image, this);
            walk = new InspectWalk(source, tree);
            this.tree = tree;
        }

        @Override
        public void describe(byte[] types) {
            if (stopped) {
                return;
            }
            if (!source.has(ImageFormat.FLAG_REGISTRY)) {
                walk.describe(LoaderScopes.UNNAMED, types);
            } else if (types.length > 0) {
                if (registryId == null && types.length >= ImageFormat.REGISTRY_ID_BYTES) {
                    registryId = RegisteredTypes.idOf(types, 0);
                }
                for (TypeRegistry.Type type :
                        RegisteredTypes.read(registry, types, 0, types.length, REGISTERED_LIMIT_BYTES)) {
                    walk.describe(type.loaderScope(), type.description());
                }
            }
        }

        InspectedImage run() throws IOException {
            source.begin();
            HeapspanException problem = null;
            InspectRaw raw = source.isRaw() ? new InspectRaw(source, tree) : null;
            try {
                if (raw != null) {
                    raw.run();
                } else {
                    walk.run();
                }
            } catch (HeapspanException e) {
                problem = e;
                stopped = true;
                walk.stop();
                try {
                    source.drain();
                } catch (HeapspanException sameOrLater) {
                    // The first problem is the one to tell.
                }
            }
            if (raw != null) {
                raw.buildTree();
            }
            InspectedImage found = walk.result(registryId, problem);
            long mismatches = found.frames().checksumMismatches();
            if (mismatches > 0) {
                found = walk.result(registryId, altered(mismatches, problem));
            }
            return raw == null ? found : raw.result(found);
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
