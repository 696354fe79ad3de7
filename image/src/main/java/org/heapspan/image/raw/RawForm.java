package org.heapspan.image.raw;

import java.util.function.Consumer;
import org.heapspan.image.type.SerialNumbers;
import org.jspecify.annotations.Nullable;

/**
 * How the objects of one class are written in a raw image: as a copy of their bytes in the heap, as a constant that the reader looks up, or
 * as a side object in the compact encoding. {@link RawForms} decides.
 *
 * <p>Forms have no state of an image. Thread-safe.
 */
abstract class RawForm {
    private static final SerialNumbers SERIALS = new SerialNumbers();

    /** Objects that the reader has already, such as enum constants: each is written once for an image. */
    static final RawForm CONSTANT = new NotCopied(Kind.CONSTANT);

    /** Objects of which a copy would be wrong, or of which nobody has proven that it is right. */
    static final RawForm SIDE = new NotCopied(Kind.SIDE);

    /** What has to be done with a reference to an object, for the writer's common path. */
    enum Kind {
        /** A copy that is found again. */
        OBJECT,
        /** The same, unless the reader has the object. */
        SELECTED_OBJECT,
        STRING,
        /** An {@link java.util.ArrayList}. */
        LIST,
        /** A copy if {@link RawMapCopy} says so. */
        MAP,
        /** A copy for each reference, unless the reader has the object. */
        VALUE,
        CONSTANT,
        SIDE
    }

    final Kind kind;

    /** The class whose direct instances travel so; null if that is of no use for telling them. */
    final @Nullable Class<?> type;

    /** Bytes that each object takes, or 0 if they differ. */
    final int fixedBytes;

    /** Whether objects refer to nothing that could refer back to them, or that is found again. */
    boolean selfContained;

    /** Whether {@link #write} writes every byte of the object; else they are cleared before. */
    boolean fills;

    /** Dense number among all forms, index of the writer's tables; used again once the form is gone. */
    final int serial = SERIALS.give(this);

    /** Whether two references to one object stay so; not for value-based classes. */
    final boolean tracked;

    RawForm(Kind kind, @Nullable Class<?> type, int fixedBytes) {
        this.kind = kind;
        this.type = type;
        this.fixedBytes = fixedBytes;
        tracked = kind != Kind.VALUE;
    }

    /**
     * The form that code made for this class may keep for the next object: another one, if its class would not be unloaded with this
     * one's anyway. A holder's class must not keep alive the loader of what it once held.
     */
    final RawForm remembered(RawForm form) {
        Class<?> held = form.type;
        ClassLoader theirs = held == null ? null : held.getClassLoader();
        if (theirs == null) {
            return form;
        }
        ClassLoader ours = type == null ? null : type.getClassLoader();
        while (ours != null && ours != theirs) {
            ours = ours.getParent();
        }
        return ours == theirs ? form : SIDE;
    }

    /** The object that the reader has in place of this one, or null if this one is to be copied. */
    @Nullable
    Object constantFor(Object object) {
        return null;
    }

    /** What the image says about the class, with the class word of this JVM. */
    abstract byte[] classBytes();

    private long classWord;

    /** What the headers of the copies hold. */
    final long classWord() {
        long known = classWord;
        if (known == 0) {
            known = RawClassDescription.classWordAt(classBytes(), 0);
            classWord = known;
        }
        return known;
    }

    /** Bytes that the object takes in the object space, a multiple of the alignment; the same whenever it is asked for. */
    abstract long sizeBytes(Object object);

    /** Whether the object refers to no other object of the object space, so that it can be written ahead of its turn. */
    abstract boolean isLeaf(Object object);

    /** Writes an object that lies in the current chunk from a position of its bytes on. */
    abstract void write(RawAddressedWriter writer, Object object, int position);

    /** Shows all references that {@link #write} follows. */
    abstract void forEachReference(Object object, Consumer<Object> visitor);

    private static final class NotCopied extends RawForm {
        NotCopied(Kind kind) {
            super(kind, null, 0);
        }

        @Override
        byte[] classBytes() {
            throw new IllegalStateException();
        }

        @Override
        long sizeBytes(Object object) {
            throw new IllegalStateException();
        }

        @Override
        boolean isLeaf(Object object) {
            throw new IllegalStateException();
        }

        @Override
        void write(RawAddressedWriter writer, Object object, int position) {
            throw new IllegalStateException();
        }

        @Override
        void forEachReference(Object object, Consumer<Object> visitor) {
            throw new IllegalStateException();
        }
    }
}
