package org.heapspan.image.graph;

import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * Copies a graph of a few objects without an image. It gives up a graph that has more objects, or objects of classes whose codecs do not take
 * part: such a graph is copied through an image. No code of the user runs, so that nothing is done twice. Not thread-safe; for one graph.
 */
public final class SmallCopy {
    /** Each object is compared with all before it. */
    private static final int MOST_OBJECTS = 32;

    /** After graphs that were given up, so many others with a root of the class are not tried. */
    private static final int MOST_SKIPPED = (1 << 10) - 1;

    private static final Object[] NONE = {};

    private final CodecRegistry registry;

    private @Nullable Object root;
    private @Nullable Object rootCopy;

    // The objects behind the root, and their copies.
    private Object[] originals = NONE;
    private Object[] copies = NONE;
    private int count;

    private SmallCopy(CodecRegistry registry) {
        this.registry = registry;
    }

    /** Copies a graph; null if it is given up. */
    public static @Nullable Object of(CodecRegistry registry, Object root) {
        try {
            Codec codec = registry.codecOf(root.getClass());
            if (codec.smallCopiesToSkip > 0) {
                codec.smallCopiesToSkip--;
                return null;
            }
            Object copy = codec.copySmall(new SmallCopy(registry), root);
            if (copy == null) {
                codec.smallCopiesToSkip = codec.smallCopyPause;
                codec.smallCopyPause = Math.min(codec.smallCopyPause * 2 + 1, MOST_SKIPPED);
            } else if (codec.smallCopyPause > 0) {
                codec.smallCopyPause = 0;
            }
            return copy;
        } catch (HeapspanException | IndexOutOfBoundsException e) {
            // A class is refused, or another thread changes a list. The copy through an image says what is wrong.
            return null;
        }
    }

    /** Takes notice of a copy before the objects are copied to which it refers. */
    public void add(Object original, Object copy) {
        if (root == null) {
            root = original;
            rootCopy = copy;
            return;
        }
        if (count == originals.length) {
            int larger = Math.max(4, count * 2);
            originals = Arrays.copyOf(originals, larger);
            copies = Arrays.copyOf(copies, larger);
        }
        originals[count] = original;
        copies[count] = copy;
        count++;
    }

    /**
     * What the copy of an object refers to where its original refers to something.
     *
     * @return this copier if the graph is given up
     */
    public @Nullable Object take(@Nullable Object original) {
        return ImmutableValue.is(original) ? original : takeOther(original);
    }

    private @Nullable Object takeOther(@Nullable Object original) {
        if (original == root) {
            return rootCopy;
        }
        for (int i = 0; i < count; i++) {
            if (originals[i] == original) {
                return copies[i];
            }
        }
        if (original == null || count == MOST_OBJECTS) {
            return this;
        }
        Object copy = registry.codecOf(original.getClass()).copySmall(this, original);
        return copy == null ? this : copy;
    }
}
