package org.heapspan.image.raw;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.image.graph.ImageReader;
import org.jspecify.annotations.Nullable;

/**
 * The classes of a raw image by their class words. It remembers the classes of the latest chunk with weak references. Images with the same
 * classes often follow one another, and then a comparison is enough. Class words are looked up only if chunks are read object by object.
 * Belongs to one {@link RawImageReader}; not thread-safe.
 */
final class RawClassTable {
    private static final int INITIAL_PLACES = 16;

    private long[] words = new long[INITIAL_PLACES];
    private @Nullable RawClass[] classes = new RawClass[INITIAL_PLACES];
    private int count;
    private boolean missingAny;
    private RawCarving.Classes carved = RawCarving.Classes.EMPTY;

    /** Where the class is that was looked up last. A number, because a reference would cost a barrier of the collector's for each change. */
    private int latestPlace;

    private WeakReference<@Nullable Remembered> remembered = new WeakReference<>(null);

    /** Classes of chunks that have come, in their order, as far as their words cannot be looked up yet. */
    private final ArrayDeque<Part> waiting = new ArrayDeque<>(2);

    /** The classes that the chunk describes that begins at a unit. */
    private record Part(long firstUnit, Remembered classes) {}

    /**
     * The classes of a chunk; images of a kind come in rows.
     *
     * @param bytes what described them
     * @param loader where they were found
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared as a whole.
    private record Remembered(
            RawLayout layout,
            byte[] bytes,
            long[] words,
            RawClass[] classes,
            RawCarving.Classes carved,
            @Nullable ClassLoader loader) {
        boolean suits(RawLayout otherLayout, byte[] image, int start, int end, @Nullable ClassLoader otherLoader) {
            return loader == otherLoader
                    && Arrays.equals(bytes, 0, bytes.length, image, start, end)
                    && layout.equals(otherLayout);
        }
    }

    void clear() {
        missingAny = false;
        carved = RawCarving.Classes.EMPTY;
        waiting.clear();
        latestPlace = 0;
        if (classes.length > INITIAL_PLACES) {
            words = new long[INITIAL_PLACES];
            classes = new RawClass[INITIAL_PLACES];
        } else if (count > 0) {
            Arrays.fill(classes, null);
        }
        count = 0;
    }

    /** Whether the reader lacks one of the classes. */
    boolean isMissingAny() {
        return missingAny;
    }

    /** The classes for the direct engine. */
    RawCarving.Classes carved() {
        return carved;
    }

    /** Adds the classes that a part of an image describes, in the chunk that begins at a unit. */
    void read(ImageReader reader, RawLayout layout, long firstUnit, byte[] bytes, int start, int end) {
        if (start == end) {
            return;
        }
        ClassLoader loader = reader.resolver.loader();
        Remembered known = remembered.get();
        if (known == null || !known.suits(layout, bytes, start, end, loader)) {
            known = resolve(reader, layout, bytes, start, end, loader);
        }
        carved = carved == RawCarving.Classes.EMPTY ? known.carved : carved.with(known.words, known.classes);
        waiting.add(new Part(firstUnit, known));
    }

    /**
     * Lets the classes be looked up that the chunk that begins at a unit needs. Those of chunks after it stay out: a word may come
     * again, for another class, once all objects of its class have been written and the class has been unloaded.
     */
    void prepare(long firstUnit) {
        for (Part next = waiting.peek(); next != null && next.firstUnit <= firstUnit; next = waiting.peek()) {
            waiting.remove();
            for (int i = 0; i < next.classes.words.length; i++) {
                put(next.classes.words[i], next.classes.classes[i]);
            }
        }
    }

    private Remembered resolve(
            ImageReader reader, RawLayout layout, byte[] bytes, int start, int end, @Nullable ClassLoader loader) {
        List<Long> words = new ArrayList<>();
        List<RawClass> found = new ArrayList<>();
        int[] position = {start};
        boolean missing = false;
        while (position[0] < end) {
            RawClassDescription described = RawClassDescription.decode(bytes, position, end);
            RawClass resolved = RawClassResolver.resolve(reader, layout, described);
            missing |= resolved instanceof RawClass.Missing;
            words.add(described.classWord());
            found.add(resolved);
        }
        long[] foundWords = words.stream().mapToLong(word -> word).toArray();
        RawClass[] foundClasses = found.toArray(RawClass[]::new);
        Remembered resolved = new Remembered(
                layout,
                Arrays.copyOfRange(bytes, start, end),
                foundWords,
                foundClasses,
                RawCarving.Classes.EMPTY.with(foundWords, foundClasses),
                loader);
        missingAny |= missing;
        if (!missing) {
            remembered = new WeakReference<>(resolved);
        }
        return resolved;
    }

    /** The class of objects with a class word. */
    RawClass of(ImageReader reader, long word) {
        int latest = latestPlace;
        RawClass known = classes[latest];
        if (known != null && words[latest] == word) {
            return known;
        }
        int place = find(word);
        RawClass found = classes[place];
        if (found == null) {
            throw reader.malformed(
                    "an object has class word 0x" + Long.toHexString(word) + ", which no class of the image has");
        }
        latestPlace = place;
        return found;
    }

    /** Adds a class, or puts it in the place of one that had the same word. */
    private void put(long word, RawClass type) {
        if (count * 2 >= words.length) {
            grow();
        }
        int place = find(word);
        if (classes[place] == null) {
            count++;
        }
        words[place] = word;
        classes[place] = type;
    }

    /** Where a word is, or where it would be. */
    private int find(long word) {
        int mask = words.length - 1;
        int place = (int) (word * 0x9E3779B97F4A7C15L >>> 40) & mask;
        while (classes[place] != null && words[place] != word) {
            place = place + 1 & mask;
        }
        return place;
    }

    private void grow() {
        long[] oldWords = words;
        @Nullable RawClass[] oldClasses = classes;
        words = new long[oldWords.length * 2];
        classes = new RawClass[words.length];
        for (int i = 0; i < oldWords.length; i++) {
            if (oldClasses[i] != null) {
                int place = find(oldWords[i]);
                words[place] = oldWords[i];
                classes[place] = oldClasses[i];
            }
        }
    }
}
