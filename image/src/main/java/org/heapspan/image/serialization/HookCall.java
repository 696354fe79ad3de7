package org.heapspan.image.serialization;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * A method of a user class that reads from a {@link GraphInput}, or the stream itself where none does; and how far its items have been
 * read. Not thread-safe.
 */
final class HookCall {
    static final int NOTHING = -1;

    /** The object whose method it is; null for the stream and for readExternal. */
    final @Nullable Object object;

    /** The class whose method it is; null for the stream and for readExternal. */
    final HookCodec.@Nullable LevelHooks level;

    /** Whether the image has items for it, else just the fields of the class. */
    final boolean items;

    /** Default fields that have been read already. */
    final @Nullable FieldValues prepared;

    /** Set if it is a method of a class of the JDK. */
    final @Nullable JdkReading watch;

    /** The thread that may ask for the default fields of the object, which it may do once. */
    @Nullable
    Thread fieldsFor;

    /** How many bytes are left of the current data item. */
    int dataLeft;

    /** The mark of the next item if it has been read, else {@link #NOTHING}. */
    int peeked;

    /** Why an object or the fields could not be read, after which nobody knows where the next item begins. */
    @Nullable
    Throwable failure;

    /** The call of a readObject method, by this thread. */
    HookCall(
            @Nullable Object object,
            HookCodec.@Nullable LevelHooks level,
            boolean items,
            @Nullable FieldValues prepared,
            @Nullable JdkReading watch) {
        this.object = object;
        this.level = level;
        this.items = items;
        this.prepared = prepared;
        this.watch = watch;
        fieldsFor = level == null ? null : Thread.currentThread();
        // A class that wrote plain fields looks like items that hold just those.
        peeked = items ? NOTHING : ImageFormat.ITEM_FIELDS;
    }

    /** A stream outside of all methods, or a readExternal method. */
    static HookCall withoutFields() {
        return new HookCall(null, null, true, null, null);
    }

    /** Fails again if the method has caught a failure to read. */
    void checkNotFailed() {
        if (failure != null) {
            throw Access.sneaky(failure);
        }
    }

    /** Begins anew. */
    void clear() {
        dataLeft = 0;
        peeked = NOTHING;
        failure = null;
    }
}
