package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The types that an image refers to, numbered in the order in which they are found, and their descriptions for the current frame. For
 * writers. Not thread-safe.
 */
final class OutputTypes {
    // Entry of a codec's serial is its number in this image plus the base; what is below the base is of earlier images.
    private int[] numbers = new int[64];
    private int base = 1;
    private Codec[] types = new Codec[16];
    private int count;

    /** The first type that no frame has described yet. */
    private int frameFirst;

    /** Asked once for each class of an image; null if it does not matter who finds them. */
    private final @Nullable FindableClasses findable;

    private final FrameTypes descriptions;

    /** Set while a copy is made: takes the types, of which the frames carry none then. */
    private @Nullable Handover handover;

    OutputTypes(@Nullable RegisteredTypes registeredTypes, @Nullable FindableClasses findable) {
        descriptions = new FrameTypes(registeredTypes);
        this.findable = findable;
    }

    /**
     * Begins an image.
     *
     * @return whether frames carry types as numbers of a registry
     */
    boolean begin(@Nullable Handover newHandover) {
        handover = newHandover;
        descriptions.begin();
        clear();
        return newHandover == null && descriptions.registered();
    }

    /** Lets go of everything that belongs to the image. */
    void release() {
        handover = null;
        clear();
        descriptions.release();
    }

    private void clear() {
        base += count;
        Arrays.fill(types, 0, count, null);
        count = 0;
        frameFirst = 0;
        if (base > Integer.MAX_VALUE / 2) {
            Arrays.fill(numbers, 0);
            base = 1;
        }
    }

    int count() {
        return count;
    }

    /** Takes back the types from a number on. */
    void cutTo(int firstCount) {
        while (count > firstCount) {
            Codec codec = types[--count];
            types[count] = null;
            numbers[codec.serial] = 0;
        }
    }

    /** The types of the image so far, in the order of their numbers. */
    Codec[] toArray() {
        return Arrays.copyOf(types, count);
    }

    /** The tag of a type in this image, which describes it from now on. */
    int tagOf(Codec codec) {
        int tag = codec.builtInTag;
        return tag == 0 ? TAG_FIRST_DESCRIBED_TYPE + numberOf(codec, codec.serial) : tag;
    }

    int tagOf(KnownCodec codec) {
        int tag = codec.builtInTag();
        return tag == 0 ? TAG_FIRST_DESCRIBED_TYPE + numberOf(codec.codec(), codec.serial()) : tag;
    }

    private int numberOf(Codec codec, int serial) {
        if (serial < numbers.length) {
            int number = numbers[serial] - base;
            if (number >= 0) {
                return number;
            }
        }
        return newNumber(codec, serial);
    }

    private int newNumber(Codec codec, int serial) {
        if (serial >= numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(serial + 1, numbers.length * 2));
        }
        Codec described = codec.described();
        if (handover == null) {
            // Fails here, before anything refers to the type, if the class cannot be described.
            described.descriptionBytes();
            if (findable != null) {
                findable.check(described);
            }
        }
        int number = count++;
        if (number == types.length) {
            types = Arrays.copyOf(types, number * 2);
        }
        types[number] = described;
        numbers[serial] = base + number;
        return number;
    }

    /** Refuses a class that would not be found by its name, where that matters; never in a copy. */
    void checkNamed(Class<?> type) {
        if (findable != null) {
            findable.check(type);
        }
    }

    /** Whether the types so far have the numbers in the registry that they have here. */
    boolean areFirstOfRegistry() {
        return descriptions.areFirst(types, count);
    }

    /** What takes classes that travel beside the image; null unless a copy is made. */
    @Nullable
    Handover handover() {
        return handover;
    }

    // ---------------------------------------------------------------- descriptions in frames

    int frameFirst() {
        return frameFirst;
    }

    /** Says that frames have described the types below a number. */
    void setFrameFirst(int number) {
        frameFirst = number;
    }

    /** How many bytes describe the types of the current frame. */
    int frameBytes() {
        if (handover != null) {
            return 0;
        }
        descriptions.set(types, frameFirst, count);
        return descriptions.sizeBytes();
    }

    /** The descriptions of which {@link #frameBytes} has just given the size. */
    FrameTypes descriptions() {
        return descriptions;
    }
}
